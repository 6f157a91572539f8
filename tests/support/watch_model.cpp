// Lists, watches and their troubles on simulated time.
#include "support/watch_model.h"

#include <algorithm>

#include "base/text/text.h"
#include "net/http.h"
#include "net/url.h"

namespace trainctl::testing {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t k_page = 2;

std::string parameter(const std::string& target, std::string_view name) {
  for (const std::string& pair : split(split_once(target, '?').second, '&')) {
    const Halves parts = split_once(pair, '=');
    if (parts.first == name) return net::percent_decoded(parts.second);
  }
  return "";
}

Json status(int code) {
  const char* reason = code == 410 ? "Expired" : code == 429 ? "TooManyRequests" : "InternalError";
  return Json{{"kind", "Status"}, {"status", "Failure"}, {"code", code}, {"reason", reason}};
}

}  // namespace

// One answer on its way: bytes that leave piece by piece.
class WatchModel::Answer : public std::enable_shared_from_this<Answer> {
 public:
  Answer(WatchModel& model, net::Handlers handlers)
      : model_(model), handlers_(std::move(handlers)) {}

  bool is_watch = false;

  void head(int code, std::vector<net::Header> headers = {}) {
    if (handlers_.on_head) handlers_.on_head({code, std::move(headers)});
  }
  void send(const std::string& bytes) {
    if (over_) return;
    waiting_ += bytes;
    if (!pump_) pump_later();
  }
  void end_when_sent() {
    if (over_) return;
    ends_ = true;
    if (!pump_) pump_later();
  }
  void fail(Error error) {
    if (over_) return;
    const auto self = shared_from_this();
    const net::Handlers handlers = std::exchange(handlers_, {});
    abandon();
    if (handlers.on_transient) handlers.on_transient({});
    if (handlers.on_done) handlers.on_done(std::move(error));
  }
  void finish() {
    if (over_) return;
    const auto self = shared_from_this();
    const net::Handlers handlers = std::exchange(handlers_, {});
    abandon();
    if (handlers.on_done) handlers.on_done({});
  }
  void begin_later(const net::Request& request) {
    pump_ = model_.loop_.after(milliseconds(model_.random(50)), [this, request] {
      const auto self = shared_from_this();
      const HandlePtr over = std::move(pump_);
      model_.begin(self, request);
    });
  }
  void abandon() {
    over_ = true;
    pump_.reset();
  }
  bool over() const { return over_; }

 private:
  void pump_later() {
    pump_ = model_.loop_.after(milliseconds(model_.random(20)), [this] { pump(); });
  }
  void pump() {
    const auto self = shared_from_this();
    const HandlePtr over = std::move(pump_);
    const std::size_t most = 1 + static_cast<std::size_t>(model_.random(400));
    const std::string piece = waiting_.substr(0, most);
    waiting_.erase(0, most);
    if (!piece.empty() && handlers_.on_data) handlers_.on_data(piece);
    if (over_) return;
    if (waiting_.empty() && ends_) return finish();
    if (!waiting_.empty() && !pump_) pump_later();
  }

  WatchModel& model_;
  net::Handlers handlers_;
  std::string waiting_;
  bool ends_ = false;
  bool over_ = false;
  HandlePtr pump_;
};

class WatchModel::ModelTransport : public net::Transport {
 public:
  explicit ModelTransport(WatchModel& model) : model_(model) {}
  HandlePtr start(net::Request request, net::Handlers handlers) override {
    ++model_.requests_;
    auto answer = std::make_shared<Answer>(model_, std::move(handlers));
    model_.answers_.push_back(answer);
    answer->begin_later(request);
    return std::make_unique<Abandoning>(std::move(answer));
  }

 private:
  class Abandoning : public Handle {
   public:
    explicit Abandoning(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
    ~Abandoning() override { answer_->abandon(); }

   private:
    std::shared_ptr<Answer> answer_;
  };

  WatchModel& model_;
};

WatchModel::WatchModel(Loop& loop, unsigned seed) : loop_(loop), random_(seed + 1) {}

WatchModel::~WatchModel() = default;

std::unique_ptr<net::Transport> WatchModel::transport() {
  return std::make_unique<ModelTransport>(*this);
}

void WatchModel::change(int pod) {
  const std::string name = cat("pod-", pod);
  const bool is_new = !pods_.contains(name);
  Json object = is_new ? Json{{"metadata", {{"name", name}, {"namespace", "team"}}}} : pods_[name];
  if (is_new) object["metadata"]["uid"] = cat("uid-", ++uids_);
  object["metadata"]["resourceVersion"] = std::to_string(version_ + 1);
  pods_[name] = object;
  happen(is_new ? "ADDED" : "MODIFIED", std::move(object));
}

void WatchModel::remove(int pod) {
  const auto found = pods_.find(cat("pod-", pod));
  if (found == pods_.end()) return;
  Json object = std::move(found->second);
  pods_.erase(found);
  object["metadata"]["resourceVersion"] = std::to_string(version_ + 1);
  happen("DELETED", std::move(object));
}

void WatchModel::happen(std::string type, Json object) {
  ++version_;
  events_.push_back({version_, std::move(type), std::move(object)});
  send_event(events_.back());
}

void WatchModel::send_event(const Event& event) {
  const std::string line = dump(Json{{"type", event.type}, {"object", event.object}}) + "\n";
  to_all([&](Answer& answer) {
    if (answer.is_watch) answer.send(line);
  });
}

void WatchModel::forget_history() {
  forgotten_ = version_;
  lists_.clear();
}

// Its own kind of event; the version is that of the last change.
void WatchModel::bookmark() {
  const Json object{{"metadata", {{"resourceVersion", std::to_string(version_)}}}};
  send_event({version_, "BOOKMARK", object});
}

void WatchModel::repeat_last_event() {
  if (!events_.empty()) send_event(events_.back());
}

void WatchModel::cut() {
  to_all([](Answer& answer) { answer.fail(net::connection_lost("model")); });
}

void WatchModel::end() {
  to_all([](Answer& answer) {
    if (answer.is_watch) answer.finish();
  });
}

void WatchModel::error_event(int code) {
  const Json event{{"type", "ERROR"}, {"object", status(code)}};
  to_all([&](Answer& answer) {
    if (answer.is_watch) answer.send(dump(event) + "\n");
  });
}

template <typename Action>
void WatchModel::to_all(Action action) {
  std::vector<std::shared_ptr<Answer>> alive;
  for (const auto& weak : answers_) {
    if (auto answer = weak.lock(); answer && !answer->over()) alive.push_back(std::move(answer));
  }
  answers_.assign(alive.begin(), alive.end());
  for (const auto& answer : alive) {
    if (!answer->over()) action(*answer);
  }
}

void WatchModel::begin(const std::shared_ptr<Answer>& answer, const net::Request& request) {
  if (loop_.now() < refused_until_) {
    return answer->fail(net::cannot_reach("model", "connection refused"));
  }
  if (const int code = std::exchange(next_status_, 0); code != 0) {
    answer->head(code, {{"Retry-After", "1"}});
    answer->send(dump(status(code)));
    return answer->end_when_sent();
  }
  const bool is_watch = parameter(request.target, "watch") == "true";
  if (!is_watch) return list(*answer, parameter(request.target, "continue"));
  watch(*answer, std::stol(parameter(request.target, "resourceVersion")));
}

// The token is "VERSION OFFSET".
void WatchModel::list(Answer& answer, const std::string& token) {
  const Halves halves = split_once(token, ' ');
  const long version = token.empty() ? version_ : std::stol(halves.first);
  const std::size_t offset = token.empty() ? 0 : std::stoul(halves.second);
  if (token.empty()) {
    auto& kept = lists_[version];
    kept.clear();
    for (const auto& [name, pod] : pods_) kept.push_back(pod);
  }
  const auto found = lists_.find(version);
  const int code = found == lists_.end() ? 410 : 200;
  Json body = status(code);
  if (code == 200) {
    const auto& all = found->second;
    const std::size_t end = std::min(offset + k_page, all.size());
    const auto at = [&](std::size_t index) {
      return all.begin() + static_cast<std::ptrdiff_t>(index);
    };
    body = Json{{"kind", "PodList"},
                {"metadata", {{"resourceVersion", std::to_string(version)}}},
                {"items", std::vector<Json>(at(offset), at(end))}};
    if (end < all.size()) body["metadata"]["continue"] = cat(version, ' ', end);
  }
  answer.head(code);
  answer.send(dump(body));
  answer.end_when_sent();
}

void WatchModel::watch(Answer& answer, long from) {
  if (from < forgotten_) {
    const bool in_stream = random(2) == 0;
    answer.head(in_stream ? 200 : 410);
    const Json event{{"type", "ERROR"}, {"object", status(410)}};
    answer.send(dump(in_stream ? event : status(410)) + "\n");
    return answer.end_when_sent();
  }
  answer.head(200);
  if (answer.over()) return;
  answer.is_watch = true;
  for (const Event& event : events_) {
    if (event.version <= from) continue;
    answer.send(dump(Json{{"type", event.type}, {"object", event.object}}) + "\n");
  }
}

std::map<std::string, std::string> WatchModel::state() const {
  std::map<std::string, std::string> state;
  for (const auto& [name, pod] : pods_) {
    state[text_at(pod, "/metadata/uid")] = text_at(pod, "/metadata/resourceVersion");
  }
  return state;
}

std::vector<std::pair<long, bool>> WatchModel::history() const {
  std::vector<std::pair<long, bool>> history;
  for (const Event& event : events_) {
    history.emplace_back(event.version, event.type == "DELETED");
  }
  return history;
}

}  // namespace trainctl::testing
