// Runs probe commands after the kubelet's prober: periods, thresholds, time limits.
#include "local/kubelet/probes.h"

#include <algorithm>
#include <array>
#include <vector>

#include <unistd.h>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

std::string namespace_link(std::string_view process, std::string_view kind) {
  std::array<char, 64> text{};
  const auto size =
      ::readlink(cat("/proc/", process, "/ns/", kind).c_str(), text.data(), text.size() - 1);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

// Wraps the command so that it runs in the container's own namespaces.
std::vector<std::string> command_inside(const Json& command, pid_t program) {
  std::vector<std::string> words;
  const auto differs = [&](std::string_view kind) {
    return namespace_link("self", kind) != namespace_link(cat(program), kind);
  };
  if (differs("mnt")) {
    words = {"nsenter", "--target", cat(program), "--mount"};
    if (differs("user")) words.insert(words.end(), {"--user", "--preserve-credentials"});
    words.emplace_back("--");
  }
  for (const Json& word : command) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

std::int64_t number(const Json& spec, std::string_view name, std::int64_t fallback) {
  const auto value = int_at(spec, cat("/", name)).value_or(0);
  return value > 0 ? value : fallback;
}

class Prober {
 public:
  Prober(Loop& loop, std::string kind, Json spec, const Probed& probed)
      : loop_(loop), kind_(std::move(kind)), spec_(std::move(spec)), probed_(probed) {}

  void begin() {
    if (begun_) return;
    begun_ = true;
    again_after(number(spec_, "initialDelaySeconds", 0));
  }
  void end() {
    timer_ = nullptr;
    child_ = nullptr;
  }
  bool has_passed() const { return passed_; }
  bool has_failed() const { return failed_; }
  const std::string& kind() const { return kind_; }

 private:
  void again_after(std::int64_t seconds) {
    timer_ = loop_.after(std::chrono::seconds(seconds), [this] { probe(); });
  }
  void probe();
  void take(bool good, const std::string& output);

  Loop& loop_;
  std::string kind_;
  Json spec_;
  const Probed& probed_;
  bool begun_ = false;
  bool passed_ = false;
  bool failed_ = false;
  std::int64_t row_ = 0;  // consecutive equal results: positive = successes, negative = failures
  HandlePtr timer_, child_;
};

void Prober::probe() {
  ChildSpec spec;
  spec.argv = command_inside(array_at(spec_, "/exec/command"), probed_.program);
  spec.environment = probed_.environment;
  child_ = loop_.spawn(spec, [this](Result<ChildExit> ended) {
    take(ended && ended->status == 0, ended ? ended->output : ended.error().message);
  });
  const auto limit = std::chrono::seconds(number(spec_, "timeoutSeconds", 1));
  timer_ = loop_.after(limit, [this] {
    child_ = nullptr;
    take(false, "command timed out");
  });
}

void Prober::take(bool good, const std::string& output) {
  again_after(number(spec_, "periodSeconds", 10));
  row_ = good ? std::max<std::int64_t>(row_, 0) + 1 : std::min<std::int64_t>(row_, 0) - 1;
  if (!good) {
    std::string name = kind_;
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    probed_.unhealthy(cat(name, " probe failed: ", output));
  }
  if (row_ >= number(spec_, "successThreshold", 1)) passed_ = true;
  if (-row_ >= number(spec_, "failureThreshold", 3)) {
    passed_ = false;
    failed_ = true;
  }
  probed_.changed();
}

class AllProbes : public Probes {
 public:
  AllProbes(Loop& loop, const Json& container, Probed probed) : probed_(std::move(probed)) {
    const auto make = [&](std::string_view kind) -> std::unique_ptr<Prober> {
      const Json* spec = find(container, cat("/", kind, "Probe"));
      if (!spec || !find(*spec, "/exec/command")) return nullptr;
      return std::make_unique<Prober>(loop, std::string(kind), *spec, probed_);
    };
    startup_ = make("startup");
    readiness_ = make("readiness");
    liveness_ = make("liveness");
    probed_.changed = [this, changed = std::move(probed_.changed)] {
      begin();
      changed();
    };
    begin();
  }
  bool exists() const { return startup_ || readiness_ || liveness_; }
  bool has_started() const override { return !startup_ || startup_->has_passed(); }
  bool is_ready() const override {
    return has_started() && (!readiness_ || readiness_->has_passed());
  }
  std::string failed() const override {
    for (const Prober* prober : {startup_.get(), liveness_.get()}) {
      if (prober && prober->has_failed()) return prober->kind();
    }
    return "";
  }

 private:
  // The other probes wait for the startup probe.
  void begin() {
    if (startup_ && !has_started()) {
      startup_->begin();
      return;
    }
    if (startup_) startup_->end();
    for (Prober* prober : {readiness_.get(), liveness_.get()}) {
      if (prober) prober->begin();
    }
  }

  Probed probed_;
  std::unique_ptr<Prober> startup_, readiness_, liveness_;
};

}  // namespace

std::unique_ptr<Probes> make_probes(Loop& loop, const Json& container, Probed probed) {
  auto probes = std::make_unique<AllProbes>(loop, container, std::move(probed));
  if (!probes->exists()) return nullptr;
  return probes;
}

}  // namespace trainctl::local
