// A small state machine: list → watch → (resume | wait | list again) → …
#include "kube/watch/watch.h"

#include <optional>
#include <utility>
#include <variant>

#include "base/text/text.h"
#include "kube/auth/auth_grace.h"
#include "kube/client/abandon_handle.h"
#include "kube/client/answer_json.h"
#include "kube/client/backoff.h"
#include "kube/client/pages.h"
#include "kube/watch/json_lines.h"
#include "kube/watch/watched_objects.h"
#include "net/failure.h"

namespace trainctl::kube {

namespace {
using std::chrono::milliseconds, std::chrono::seconds;

constexpr Duration k_healthy_after = seconds(1);
constexpr Duration k_grace = seconds(30);  // allowed beyond the server's own time limit

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
  using Answer = std::variant<Json, Failure>;
  struct Listing {
    Pages pages;
    std::string version;  // of its first page: all pages show that state
  };
  struct Attempt {
    Time opened_at{};
    JsonLines lines;
    bool open = false;      // it was answered with 200
    bool progress = false;  // it delivered something new
  };

  void list_page(const std::string& token);
  void on_page(Answer answer);
  void finish_list();

  void open();
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
  void wait(Duration delay, void (Watch::*next)());
  void trouble(const Failure& failure, bool worth_reporting);
  void list_again();
  void over_the_trouble() {
    if (std::exchange(trouble_reported_, false)) emit(handlers_.on_trouble, std::string());
  }
  void stop(const Error& error);
  template <typename Callback, typename... Arguments>
  void emit(const Callback& callback, const Arguments&... arguments);

  Client& client_;
  WatchTarget target_;
  WatchHandlers handlers_;
  Backoff backoff_;
  WatchedObjects objects_;
  std::optional<Listing> list_;  // nullopt when it has been read
  Attempt attempt_;              // the current watch request, or the last one
  std::string version_;          // to resume from

  bool stopped_ = false;
  bool resumes_ = false;  // a watch was attempted since the list
  bool trouble_reported_ = false;
  AuthGrace denial_;
  HandlePtr request_, timer_;
};

template <typename Callback, typename... Arguments>
void Watch::emit(const Callback& callback, const Arguments&... arguments) {
  if (!stopped_ && callback) callback(arguments...);
}

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
  const std::weak_ptr<Watch> weak = weak_from_this();
  if (!request) {
    timer_ = client_.loop().after({}, [weak, error = request.error()] {
      if (const auto self = weak.lock()) self->stop(error);
    });
    return;
  }
  request->owner_retries = true;
  request->lane = target_.list_lane;
  request_ = client_.fetch(*std::move(request), [weak](Answer answer) {
    if (const auto self = weak.lock()) self->on_page(std::move(answer));
  });
}

void Watch::on_page(Answer answer) {
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
  resumes_ = false;
  emit(handlers_.on_listed);
  if (!stopped_) open();
}

void Watch::open() {
  // Limits spread over five minutes keep a thousand watches from ending in the same second.
  attempt_ = {client_.loop().now(), {}};
  const Duration limit =
      seconds(300 + attempt_.opened_at.time_since_epoch() / milliseconds(1) % 300);
  Result<net::Request> request =
      watch_request(target_.resource, target_.ns, target_.options, version_, limit);
  if (!request) return stop(request.error());

  const std::weak_ptr<Watch> weak = weak_from_this();
  StreamHandlers handlers;
  handlers.on_open = [weak, resumes = std::exchange(resumes_, true)](int) {
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
  timer_ = client_.loop().after(limit + k_grace, [weak] {
    if (const auto self = weak.lock()) self->cut_off(std::nullopt);
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
  const std::string version = text_at(object, "/metadata/resourceVersion");
  if (!version.empty() && version != version_) {
    version_ = version;
    attempt_.progress = true;
  }
  if (type == "DELETED" && objects_.forget(object)) emit(handlers_.on_gone, object);
  if (type == "ADDED" || type == "MODIFIED") apply(std::move((*event)["object"]));
  return true;
}

bool Watch::on_error_event(const Json& status) {
  Failure failure;
  failure.refusal = read_status(status);
  const CallInfo call{"GET", "", "", client_.server()};
  failure.error = is_failure(status)
                      ? status_error(call, status)
                      : Error{Code::unreachable, "the watch ended with an unknown error", ""};
  // In a stream that was accepted, every error except "too old" is a server failure.
  if (failure.refusal.reason == "Expired" || failure.refusal.reason == "Gone") {
    failure.refusal.status = 410;
  }
  if (failure.refusal.status != 410) failure.error.code = Code::unreachable;
  cut_off(failure);
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
  if (failure && failure->refusal.status == 410) return list_again();
  if (failure && failure->error.code != Code::unreachable &&
      !denial_.may_pass(failure->refusal, client_.loop().now())) {
    return stop(failure->error);
  }
  // The first contact failed permanently, as for a certificate that is not trusted.
  const bool hopeless = failure && version_.empty() && failure->refusal.status == 0;
  if (hopeless && !failure->transient) return stop(failure->error);
  if (failure) return trouble(*failure, list_ || !attempt_.open || backoff_.in_a_row());
  // A watch that ended at once without an event is not repeated without a pause; nor is a second
  // one that ended at once with some, since a server that is asked anew may bring some each time.
  if (client_.loop().now() - attempt_.opened_at >= k_healthy_after) return wait({}, &Watch::open);
  wait(attempt_.progress ? backoff_.delay_after_first() : backoff_.next_delay(), &Watch::open);
}

// The version is too old. That is routine once, but repeated lists must not become a storm.
void Watch::list_again() {
  wait(backoff_.delay_after_first(), &Watch::list_from_nothing);
}

void Watch::trouble(const Failure& failure, bool worth_reporting) {
  const std::optional<Duration> delay =
      backoff_.delay_in_trouble(client_.loop().now(), failure.refusal.retry_after);
  if (!delay) return stop(failure.error);
  if (worth_reporting) {
    trouble_reported_ = true;
    emit(handlers_.on_trouble, cat(failure.error.message, "; ", net::trying_again(*delay)));
    if (stopped_) return;
  }
  wait(*delay, list_ ? &Watch::list_from_nothing : &Watch::open);
}

void Watch::wait(Duration delay, void (Watch::*next)()) {
  const std::weak_ptr<Watch> weak = weak_from_this();
  timer_ = client_.loop().after(delay, [weak, next] {
    const auto self = weak.lock();
    if (self && !self->stopped_) (*self.*next)();
  });
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

}  // namespace trainctl::kube
