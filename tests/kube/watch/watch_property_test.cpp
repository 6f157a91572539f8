// Whatever happens to its connections, a watch builds the server's state: nothing lost, nothing
// reported twice, nothing backwards. Random scripts, reduced to the steps that matter when one
// fails.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "kube/watch/watch.h"
#include "support/fakes.h"
#include "support/watch_model.h"

namespace watch_property_test {

using namespace trainctl;
using namespace trainctl::kube;
using namespace trainctl::testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

enum class Act { change, remove, bookmark, repeat, cut, end, error, expire, forget, refuse, busy };

struct Step {
  Duration after{};
  Act act = Act::change;
  int number = 0;  // a pod, a status or seconds, as the act wants it
};
using Script = std::vector<Step>;

std::string shown(const Script& script) {
  constexpr const char* k_names[] = {"change", "remove", "bookmark", "repeat", "cut", "end",
                                     "error",  "expire", "forget",   "refuse", "busy"};
  std::string text;
  for (const Step& step : script) {
    text += cat(" +", step.after / milliseconds(1), "ms ", k_names[static_cast<int>(step.act)], ' ',
                step.number, ';');
  }
  return text;
}

bool loses_history(const Script& script) {
  return std::any_of(script.begin(), script.end(), [](const Step& step) {
    return step.act == Act::forget || step.act == Act::expire;
  });
}

Script random_script(unsigned seed, bool may_lose_history) {
  std::minstd_rand random(seed + 1);
  const auto below = [&random](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  // Changes are what matters; the rest is there to lose them.
  const std::vector<Act> acts = {Act::change, Act::change, Act::change,   Act::change, Act::change,
                                 Act::remove, Act::remove, Act::bookmark, Act::repeat, Act::cut,
                                 Act::cut,    Act::end,    Act::error,    Act::refuse, Act::busy,
                                 Act::expire, Act::forget};
  const int choices = static_cast<int>(acts.size()) - (may_lose_history ? 0 : 2);
  constexpr int k_errors[] = {500, 504, 429};
  Script script(static_cast<std::size_t>(5 + below(40)));
  for (Step& step : script) {
    const bool soon = below(3) > 0;
    step.after = milliseconds(below(soon ? 30 : 3000));
    step.act = acts[static_cast<std::size_t>(below(choices))];
    const bool is_error = step.act == Act::error || step.act == Act::busy;
    step.number = is_error ? k_errors[below(3)] : below(5);
  }
  return script;
}

void perform(WatchModel& model, const Loop& loop, const Step& step) {
  switch (step.act) {
    case Act::change:
      return model.change(step.number);
    case Act::remove:
      return model.remove(step.number);
    case Act::bookmark:
      return model.bookmark();
    case Act::repeat:
      return model.repeat_last_event();
    case Act::cut:
      return model.cut();
    case Act::end:
      return model.end();
    case Act::error:
      return model.error_event(step.number);
    case Act::expire:
      return model.error_event(410);
    case Act::forget:
      return model.forget_history();
    case Act::refuse:
      return model.refuse_until(loop.now() + seconds(step.number));
    case Act::busy:
      return model.refuse_next(step.number);
  }
}

// The state that a watch's owner knows from its reports, and the first wrong report.
class Owner {
 public:
  WatchHandlers handlers() {
    WatchHandlers handlers;
    handlers.on_change = [this](const Json& object) { change(object); };
    handlers.on_gone = [this](const Json& object) { gone(object); };
    handlers.on_listed = [this] { ++lists; };
    handlers.on_stop = [this](const Error& error) { wrong(cat("it stopped: ", error.message)); };
    return handlers;
  }

  std::map<std::string, std::string> state;     // by uid, the version
  std::vector<std::pair<long, bool>> reported;  // since the first list
  int lists = 0;
  std::string fault;

 private:
  void wrong(const std::string& what) {
    if (fault.empty()) fault = what;
  }
  void change(const Json& object) {
    const std::string uid = text_at(object, "/metadata/uid");
    const std::string name = text_at(object, "/metadata/name");
    const std::string version = text_at(object, "/metadata/resourceVersion");
    if (buried_.contains(uid)) wrong(cat(uid, " came back after it was gone"));
    const auto known = state.find(uid);
    if (known != state.end() && std::stol(version) <= std::stol(known->second)) {
      wrong(cat(uid, " was reported at ", version, " after ", known->second));
    }
    const auto namesake = names_.find(name);
    if (namesake != names_.end() && namesake->second != uid) {
      wrong(cat(name, " became ", uid, " before ", namesake->second, " was gone"));
    }
    names_[name] = uid;
    state[uid] = version;
    if (lists > 0) reported.emplace_back(std::stol(version), false);
  }
  void gone(const Json& object) {
    const std::string uid = text_at(object, "/metadata/uid");
    if (state.erase(uid) == 0) wrong(cat(uid, " is gone without having been there"));
    names_.erase(text_at(object, "/metadata/name"));
    buried_.insert(uid);
    const std::string version = text_at(object, "/metadata/resourceVersion");
    if (lists > 0) reported.emplace_back(std::stol(version), true);
  }

  std::map<std::string, std::string> names_;
  std::set<std::string> buried_;
};

std::string difference(const Owner& owner, const WatchModel& model, bool history_kept) {
  if (!owner.fault.empty()) return owner.fault;
  if (owner.lists == 0) return "nothing was ever listed";
  if (owner.state != model.state()) {
    std::string text = "the state is wrong: reported";
    for (const auto& [uid, version] : owner.state) text += cat(' ', uid, '@', version);
    text += ", true";
    for (const auto& [uid, version] : model.state()) text += cat(' ', uid, '@', version);
    return text;
  }
  if (!history_kept) return "";
  // Then no event may be passed over either.
  auto happened = model.history();
  if (happened.size() > owner.reported.size()) {
    happened.erase(happened.begin(),
                   happened.end() - static_cast<std::ptrdiff_t>(owner.reported.size()));
  }
  if (happened != owner.reported) return "events were passed over or reported in another order";
  return "";
}

// "" when the property holds.
std::string fault_of(const Script& script, unsigned seed) {
  FakeLoop loop;
  MemoryFiles files;
  Environment environment;
  WatchModel model(loop, seed);
  for (int pod = 0; pod < static_cast<int>(seed % 5); ++pod) model.change(pod);
  auto credentials = std::make_unique<Credentials>(loop, files, environment, AuthInfo{}, true,
                                                   false, [](const std::string&) {});
  Client client(loop, model.transport(), std::move(credentials), "https://model", std::nullopt, {});
  Owner owner;
  const HandlePtr watch = start_watch(client, {k_pods, "team", {}}, owner.handlers());

  const auto pass = [&loop](Duration time) {
    bool over = false;
    const HandlePtr timer = loop.after(time, [&over] { over = true; });
    loop.run_until([&over] { return over; });
  };
  Duration busy{};
  for (const Step& step : script) {
    pass(step.after);
    busy += step.after;
    perform(model, loop, step);
  }
  const Duration calm = seconds(40);
  pass(calm);
  const long most = 60 + (busy + calm) / milliseconds(250);
  if (model.requests() > most) return cat(model.requests(), " requests: a storm");
  return difference(owner, model, !loses_history(script));
}

// Takes steps away as long as what is left still fails.
Script reduced(Script script, unsigned seed) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t at = script.size(); at-- > 0;) {
      Script without = script;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(at));
      if (fault_of(without, seed).empty()) continue;
      script = std::move(without);
      smaller = true;
    }
  }
  return script;
}

void check_scripts(unsigned from, unsigned count, bool may_lose_history) {
  for (unsigned seed = from; seed < from + count; ++seed) {
    const Script script = random_script(seed, may_lose_history);
    const std::string fault = fault_of(script, seed);
    if (fault.empty()) continue;
    const Script small = reduced(script, seed);
    FAIL("seed " << seed << ": " << fault_of(small, seed) << ", after" << shown(small));
  }
}

TEST_CASE("random cuts lose no event and repeat none") {
  check_scripts(0, 1500, false);
}

TEST_CASE("random cuts and forgotten history leave the state right") {
  check_scripts(100'000, 1500, true);
}

}  // namespace watch_property_test
