// A small state machine: list → watch → (resume | wait | list again) → …
#include "kube/watch/watch.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/client/api_error.h"
#include "kube/client/backoff.h"
#include "kube/client/client.h"
#include "kube/client/collection.h"
#include "net/http.h"

namespace trainctl::kube {
namespace {

// Tracks what a watch has reported so far, so that every state of an object is reported once. Does
// no I/O.
class WatchedObjects {
 public:
  // The identity of the known object with the same name but another uid; that object is forgotten.
  std::optional<Json> take_namesake(const Json& object);
  // Records the object; false when exactly this state (uid and resourceVersion) was recorded
  // already.
  bool keep(const Json& object);
  // Forgets the object; false when it was not known, or under another uid.
  bool forget(const Json& object);

  std::size_t size() const { return known_.size(); }

  // Between these two calls, keep() records the objects of a list; end_list() forgets and returns
  // all others.
  void begin_list() { listed_.emplace(); }
  std::vector<Json> end_list();

 private:
  struct Known {
    std::string ns, name, uid, version;
    bool operator==(const Known&) const = default;
  };
  static Known known(const Json& object);
  static Json identity(const Known& known);

  // Keyed by namespace and name. Callers that need whole objects keep them, so that a thousand
  // pods are not held twice.
  std::map<std::string, Known> known_;
  std::optional<std::set<std::string>> listed_;  // while a list is read
};

std::string key_of(const Json& object) {
  return cat(text_at(object, "/metadata/namespace"), "/", text_at(object, "/metadata/name"));
}

WatchedObjects::Known WatchedObjects::known(const Json& object) {
  return {text_at(object, "/metadata/namespace"), text_at(object, "/metadata/name"),
          text_at(object, "/metadata/uid"), text_at(object, "/metadata/resourceVersion")};
}

Json WatchedObjects::identity(const Known& known) {
  Json metadata = {{"namespace", known.ns},
                   {"name", known.name},
                   {"uid", known.uid},
                   {"resourceVersion", known.version}};
  return {{"metadata", std::move(metadata)}};
}

std::optional<Json> WatchedObjects::take_namesake(const Json& object) {
  const auto found = known_.find(key_of(object));
  if (found == known_.end() || found->second.uid == known(object).uid) return std::nullopt;
  const Json earlier = identity(found->second);
  known_.erase(found);
  return earlier;
}

bool WatchedObjects::keep(const Json& object) {
  const std::string key = key_of(object);
  if (listed_) listed_->insert(key);
  Known now = known(object);
  const auto [at, is_new] = known_.try_emplace(key, now);
  if (!is_new && at->second == now) return false;
  at->second = std::move(now);
  return true;
}

bool WatchedObjects::forget(const Json& object) {
  const auto found = known_.find(key_of(object));
  if (found == known_.end() || found->second.uid != known(object).uid) return false;
  known_.erase(found);
  return true;
}

std::vector<Json> WatchedObjects::end_list() {
  std::vector<Json> gone;
  for (auto at = known_.begin(); at != known_.end();) {
    if (listed_ && listed_->contains(at->first)) {
      ++at;
      continue;
    }
    gone.push_back(identity(at->second));
    at = known_.erase(at);
  }
  listed_.reset();
  return gone;
}

constexpr std::size_t k_line_limit = std::size_t{64} << 20;

}  // namespace

Status JsonLines::feed(std::string_view chunk,
                       const std::function<bool(std::string_view)>& on_line) {
  while (!chunk.empty()) {
    const std::size_t newline = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, newline);
    if (rest_.size() + piece.size() > k_line_limit) {
      return Error{Code::unreachable, "the server sent a watch event above 64 MiB", ""};
    }
    if (newline == std::string_view::npos) {
      rest_ += piece;
      return {};
    }
    chunk.remove_prefix(newline + 1);
    std::string whole;
    if (!rest_.empty()) {
      rest_ += piece;
      whole.swap(rest_);
    }
    const std::string_view line = trim(whole.empty() ? piece : std::string_view(whole));
    if (line.empty() || on_line(line)) continue;
    rest_.clear();
    return {};
  }
  return {};
}

namespace {
using std::chrono::milliseconds, std::chrono::seconds;
constexpr Duration k_healthy_after = seconds(1);
constexpr Duration k_opening = seconds(30);  // until the server answers a watch
// A dead connection looks like a watch without news; servers send a bookmark each minute or so.
constexpr Duration k_idle = seconds(150);
// A healthy server sends bookmarks more often; one that has lost the version may send nothing.
constexpr Duration k_silence = std::chrono::minutes(5);

class Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(Client& client, WatchTarget target, WatchHandlers handlers, Duration patience)
      : client_(client),
        target_(std::move(target)),
        handlers_(std::move(handlers)),
        backoff_(patience) {}

  void list_from_nothing();
  void abandon();

 private:
  struct Listing {
    Pages pages;
    std::string version;  // of its first page: all pages show that state
  };
  struct Attempt {
    Time opened_at{};
    JsonLines lines;
    int empty_ends = 0;     // how many in a row ended at once without anything new
    bool open = false;      // it was answered with 200
    bool progress = false;  // it delivered something new
  };

  void list_page(const std::string& token);
  void on_page(std::variant<Json, Failure> answer);
  void finish_list();

  void open();
  void watch_for_silence();
  void cut_off(const std::optional<Failure>& failure) {
    request_.reset();
    on_end(failure);
  }
  void on_data(std::string_view chunk);
  bool on_event(std::string_view line);
  bool on_error_event(const Json& status);
  void on_end(const std::optional<Failure>& failure);
  void apply(Json object);

  void resume_or_wait(const std::optional<Failure>& failure);
  void resume_after(Duration delay);
  void trouble(const Failure& failure);
  void list_again();
  void over_the_trouble() {
    if (std::exchange(trouble_reported_, false)) emit(handlers_.on_trouble, std::string());
  }
  void stop(const Error& error);
  template <typename Callback, typename... Arguments>
  void emit(const Callback& callback, const Arguments&... arguments) {
    if (!stopped_ && callback) callback(arguments...);
  }
  template <typename Action>
  void later(Duration delay, Action action) {
    timer_ = client_.loop().after(delay, [weak = weak_from_this(), action] {
      const auto self = weak.lock();
      if (self && !self->stopped_) action(*self);
    });
  }

  Client& client_;
  WatchTarget target_;
  WatchHandlers handlers_;
  Backoff backoff_;
  WatchedObjects objects_;
  std::optional<Listing> list_;  // nullopt when it has been read
  Attempt attempt_;              // the current watch request, or the last one
  std::string version_;          // to resume from
  Time heard_at_{};              // the last list or event
  bool stopped_ = false;
  bool trouble_reported_ = false;
  std::string last_trouble_;  // reported since the watch was last healthy
  AuthGrace denial_;
  HandlePtr request_, timer_;
};

void Watch::abandon() {
  stopped_ = true;
  request_.reset();
  timer_.reset();
}

void Watch::list_from_nothing() {
  if (!version_.empty()) emit(handlers_.on_history_lost);
  objects_.begin_list();
  list_.emplace();
  list_page("");
}

void Watch::list_page(const std::string& token) {
  Result<net::Request> request = list_request(target_.resource, target_.ns, target_.options, token);
  if (!request) {
    return later({}, [error = request.error()](Watch& self) { self.stop(error); });
  }
  request->owner_retries = true;
  request->lane = target_.list_lane;
  const std::weak_ptr<Watch> weak = weak_from_this();
  request_ = client_.fetch(*std::move(request), [weak](auto answer) {
    if (const auto self = weak.lock()) self->on_page(std::move(answer));
  });
}

void Watch::on_page(std::variant<Json, Failure> answer) {
  if (stopped_) return;
  if (const Failure* failure = std::get_if<Failure>(&answer)) return resume_or_wait(*failure);
  Json& page = std::get<Json>(answer);
  const Result<std::string> next = list_->pages.token_behind(page);
  if (!next) return resume_or_wait(Failure{next.error(), {}});
  over_the_trouble();
  backoff_.answered();
  if (list_->version.empty()) list_->version = text_at(page, "/metadata/resourceVersion");
  for (Json& item : take_items(target_.resource, page)) {
    apply(std::move(item));
    if (stopped_) return;
  }
  if (next->empty()) return finish_list();
  list_page(*next);
}

void Watch::finish_list() {
  for (const Json& gone : objects_.end_list()) emit(handlers_.on_gone, gone);
  version_ = list_->version;
  list_.reset();
  attempt_ = {};
  heard_at_ = client_.loop().now();
  emit(handlers_.on_listed);
  if (!stopped_) open();
}

void Watch::open() {
  const bool resumes = attempt_.opened_at != Time{};  // another was attempted since the list
  attempt_ = {client_.loop().now(), {}, attempt_.empty_ends};
  // Limits spread over five minutes keep a thousand watches from ending in the same second.
  const Duration limit =
      seconds(300 + attempt_.opened_at.time_since_epoch() / milliseconds(1) % 300);
  Result<net::Request> request =
      watch_request(target_.resource, target_.ns, target_.options, version_, limit);
  if (!request) return stop(request.error());

  const std::weak_ptr<Watch> weak = weak_from_this();
  StreamHandlers handlers;
  handlers.on_open = [weak, resumes](int) {
    const auto self = weak.lock();
    if (!self) return;
    self->attempt_.open = true;
    self->denial_.accepted();
    self->over_the_trouble();
    if (resumes) self->emit(self->handlers_.on_resumed);
  };
  handlers.on_data = [weak](std::string_view chunk) {
    if (const auto self = weak.lock()) self->on_data(chunk);
  };
  handlers.on_end = [weak](std::optional<Failure> failure) {
    if (const auto self = weak.lock()) self->on_end(failure);
  };
  request_ = client_.stream(*std::move(request), std::move(handlers));
  watch_for_silence();
}

void Watch::watch_for_silence() {
  const bool was_open = attempt_.open;
  later(was_open ? k_idle : k_opening, [was_open, heard = heard_at_](Watch& self) {
    if (!self.attempt_.open) {
      return self.cut_off(Failure{net::no_answer(self.client_.server(), k_opening), {}});
    }
    if (was_open && self.heard_at_ == heard) return self.cut_off(std::nullopt);
    self.watch_for_silence();
  });
}

void Watch::on_data(std::string_view chunk) {
  if (stopped_) return;
  const Status split = attempt_.lines.feed(
      chunk, [this](std::string_view line) { return on_event(line) && !stopped_; });
  if (!split && !stopped_) cut_off(Failure{split.error(), {}});
}

// Returns false when the rest of this answer is not wanted.
bool Watch::on_event(std::string_view line) {
  Result<Json> event = parse_answer(line, "watch event");
  if (!event) {
    cut_off(Failure{Error{Code::unreachable, event.error().message, ""}, {}});
    return false;
  }
  const std::string type = text_at(*event, "/type");
  const Json& object = object_at(*event, "/object");
  if (type == "ERROR") return on_error_event(object);
  heard_at_ = client_.loop().now();
  const std::string version = text_at(object, "/metadata/resourceVersion");
  if (!version.empty() && version != version_) {
    version_ = version;
    attempt_.progress = true;
  }
  if (type == "DELETED" && objects_.forget(object)) emit(handlers_.on_gone, object);
  if (type == "ADDED" || type == "MODIFIED") apply(std::move((*event)["object"]));
  return true;
}

// The stream was accepted, so the server has failed, or lost the version.
bool Watch::on_error_event(const Json& status) {
  Error error{Code::unreachable, "the watch ended with an unknown error", ""};
  if (is_failure(status)) error = status_error({"GET", "", "", client_.server()}, status);
  error.code = Code::unreachable;
  cut_off(Failure{error, read_status(status)});
  return false;
}

void Watch::on_end(const std::optional<Failure>& failure) {
  if (stopped_) return;
  timer_.reset();
  const bool lasted = attempt_.open && client_.loop().now() - attempt_.opened_at >= k_healthy_after;
  // One that ends at once each time is not healthy for the event it brings.
  if (lasted || (attempt_.progress && failure)) backoff_.recovered();
  resume_or_wait(failure);
}

void Watch::apply(Json object) {
  if (!object.is_object()) return;  // a strange server's null; owners rely on an object
  const std::optional<Json> earlier = objects_.take_namesake(object);
  if (earlier) emit(handlers_.on_gone, *earlier);
  if (stopped_ || !objects_.keep(object)) return;
  if (objects_.size() > target_.most_objects) return stop(too_many_objects(target_.most_objects));
  emit(handlers_.on_change, object);
}

void Watch::resume_or_wait(const std::optional<Failure>& failure) {
  if (failure && is_version_lost(failure->refusal)) return list_again();
  if (failure && failure->error.code != Code::unreachable &&
      !denial_.may_pass(failure->refusal, client_.loop().now())) {
    return stop(failure->error);
  }
  // The first contact failed permanently, as for a certificate that is not trusted.
  const bool hopeless = failure && version_.empty() && failure->refusal.status == 0;
  if (hopeless && !failure->transient) return stop(failure->error);
  if (failure || attempt_.progress) attempt_.empty_ends = 0;
  if (failure) return trouble(*failure);
  if (client_.loop().now() - attempt_.opened_at >= k_healthy_after) return resume_after({});
  // Of watches that end at once, only the first with an event is resumed without a pause.
  if (attempt_.progress) return resume_after(backoff_.delay_after_first());
  if (++attempt_.empty_ends == 2) return list_again();
  resume_after(backoff_.next_delay());
}

void Watch::resume_after(Duration delay) {
  const bool silent = client_.loop().now() - heard_at_ >= k_silence;
  const auto next = list_ || silent ? &Watch::list_from_nothing : &Watch::open;
  later(delay, [next](Watch& self) { (self.*next)(); });
}

// The version is lost: routine once, but repeated lists must not become a storm.
void Watch::list_again() {
  later(backoff_.delay_after_first(), [](Watch& self) { self.list_from_nothing(); });
}

void Watch::trouble(const Failure& failure) {
  if (!backoff_.in_a_row()) last_trouble_.clear();
  // One cut is routine, and a stream that opens only to fail again is the same trouble.
  const bool is_news = backoff_.in_a_row() && failure.error.message != last_trouble_;
  const std::optional<Duration> delay =
      backoff_.delay_in_trouble(client_.loop().now(), failure.refusal.retry_after);
  if (!delay) return stop(failure.error);
  if (list_ || !attempt_.open || is_news) {
    trouble_reported_ = true;
    last_trouble_ = failure.error.message;
    emit(handlers_.on_trouble, cat(failure.error.message, "; ", net::trying_again(*delay)));
    if (stopped_) return;
  }
  resume_after(*delay);
}

void Watch::stop(const Error& error) {
  if (stopped_) return;
  abandon();
  if (handlers_.on_stop) handlers_.on_stop(error);
}

}  // namespace

HandlePtr start_watch(Client& client, WatchTarget target, WatchHandlers handlers,
                      Duration patience) {
  auto watch = std::make_shared<Watch>(client, std::move(target), std::move(handlers), patience);
  watch->list_from_nothing();
  return std::make_unique<AbandonHandle<Watch>>(std::move(watch));
}

namespace {

class CurrentList : public Handle {
 public:
  CurrentList(Client& client, WatchTarget target, std::function<void(std::vector<Json>)> done)
      : done_(std::move(done)) {
    WatchHandlers handlers;
    handlers.on_change = [this](const Json& object) { objects_.push_back(object); };
    handlers.on_gone = [](const Json&) {};
    handlers.on_listed = [this] { finish(); };
    handlers.on_trouble = [](const std::string&) {};
    handlers.on_stop = [this](const Error&) { finish(); };
    watch_ = start_watch(client, std::move(target), std::move(handlers));
  }

 private:
  // `done` may destroy this.
  void finish() {
    watch_.reset();
    const auto done = std::move(done_);
    done(std::move(objects_));
  }

  std::function<void(std::vector<Json>)> done_;
  std::vector<Json> objects_;
  HandlePtr watch_;
};

}  // namespace

HandlePtr start_current_list(Client& client, WatchTarget target,
                             std::function<void(std::vector<Json> objects)> done) {
  return std::make_unique<CurrentList>(client, std::move(target), std::move(done));
}

}  // namespace trainctl::kube
