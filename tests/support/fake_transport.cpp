// The scripted server: finds the exchange a request belongs to and plays its answer.
#include "support/fake_transport.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "net/http.h"
#include "net/url.h"

namespace trainctl::testing {
namespace {

constexpr std::string_view k_server = "cluster.test:6443";

struct Target {
  std::string path;
  net::Query query;
};

Target parse_target(const std::string& target) {
  Target parsed;
  const Halves halves = split_once(target, '?');
  parsed.path = net::percent_decoded(halves.first);
  if (!halves.found) return parsed;
  for (const std::string& pair : split(halves.second, '&')) {
    const Halves parts = split_once(pair, '=');
    parsed.query.emplace_back(net::percent_decoded(parts.first),
                              net::percent_decoded(parts.second));
  }
  return parsed;
}

bool is_subset(const Json& part, const Json& whole) {
  if (part.is_object() && whole.is_object()) {
    return std::all_of(part.items().begin(), part.items().end(), [&](const auto& item) {
      return whole.contains(item.key()) && is_subset(item.value(), whole.at(item.key()));
    });
  }
  if (part.is_array() && whole.is_array()) {
    return std::equal(part.begin(), part.end(), whole.begin(), whole.end(), is_subset);
  }
  return part == whole;
}

bool matches(const Exchange& exchange, const net::Request& request, const Target& target) {
  if (exchange.method != request.method || exchange.path != target.path) return false;
  for (const auto& pair : exchange.query) {
    if (std::count(target.query.begin(), target.query.end(), pair) == 0) return false;
  }
  if (!exchange.body) return true;
  const auto body = parse_json(request.body, "request");
  return body && is_subset(*exchange.body, *body);
}

bool is_watch(const Target& target) {
  return std::any_of(target.query.begin(), target.query.end(), [](const auto& pair) {
    return pair.first == "watch" && (pair.second == "true" || pair.second == "1");
  });
}

std::string line_of(const Exchange& exchange) {
  return exchange.method + ' ' + net::with_query(exchange.path, exchange.query);
}

Exchange silent_watch() {
  Exchange exchange;
  exchange.ending = "never";
  return exchange;
}

// Most clusters serve the jobs of one generation, and most cases are about the older one.
constexpr std::string_view k_newer[] = {"/apis/trainer.kubeflow.org/",
                                        "/apis/kubeflow.org/v2beta1"};

bool is_newer(std::string_view path) {
  return std::any_of(std::begin(k_newer), std::end(k_newer),
                     [path](std::string_view api) { return path.starts_with(api); });
}

Exchange not_installed() {
  Exchange exchange;
  exchange.status = 404;
  exchange.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  exchange.chunks.push_back({{}, "404 page not found\n"});
  return exchange;
}

// Few cases are about a namespace that is not there.
bool is_namespace(std::string_view path) {
  constexpr std::string_view k_namespaces = "/api/v1/namespaces/";
  return path.starts_with(k_namespaces) &&
         path.substr(k_namespaces.size()).find('/') == std::string_view::npos;
}

Exchange existing() {
  Exchange exchange;
  exchange.headers = {{"Content-Type", "application/json"}};
  exchange.chunks.push_back({{}, R"({"apiVersion":"v1","kind":"Namespace","metadata":{}})"});
  return exchange;
}

// Few cases are about the metrics that an explanation looks for at the end of a log.
bool is_end_of_log(const Target& target) {
  return target.path.ends_with("/log") && std::ranges::any_of(target.query, [](const auto& pair) {
           return pair.first == "limitBytes" && pair.second == "65536";
         });
}

Exchange nothing_printed() {
  Exchange exchange;
  exchange.headers = {{"Content-Type", "text/plain"}};
  exchange.chunks.push_back({{}, ""});
  return exchange;
}

Exchange not_scripted() {
  Exchange exchange;
  exchange.status = 404;
  exchange.headers = {{"Content-Type", "application/json"}};
  exchange.chunks.push_back(
      {{},
       R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":404,)"
       R"("reason":"NotFound","message":"no exchange is scripted for this request"})"});
  return exchange;
}

// One request being answered.
class Playing : public std::enable_shared_from_this<Playing> {
 public:
  Playing(Loop& loop, std::shared_ptr<Time> last_stamp, Exchange exchange, net::Handlers handlers)
      : loop_(loop),
        last_stamp_(std::move(last_stamp)),
        exchange_(std::move(exchange)),
        handlers_(std::move(handlers)) {}

  void start(Duration timeout) {
    schedule(Duration::zero(), &Playing::answer);
    if (timeout <= Duration::zero()) return;
    deadline_ = loop_.after(timeout, [self = shared_from_this(), timeout] {
      self->finish(net::no_answer(k_server, timeout));
    });
  }
  void abandon() {
    abandoned_ = true;
    timer_.reset();
    deadline_.reset();
  }

 private:
  void schedule(Duration delay, void (Playing::*step)()) {
    if (abandoned_) return;
    timer_ = loop_.after(delay, [self = shared_from_this(), step] { (self.get()->*step)(); });
  }

  void answer() {
    if (exchange_.ending == "refused") {
      if (handlers_.on_unsent) handlers_.on_unsent();
      return finish_transient(net::cannot_reach(k_server, "connection refused"));
    }
    const bool says_nothing = exchange_.chunks.empty() && exchange_.socket.protocol.empty();
    if (exchange_.ending == "reset" && says_nothing) return end();
    if (!exchange_.socket.protocol.empty()) return upgrade();
    if (exchange_.ending == "unanswered") return;
    if (handlers_.on_head) handlers_.on_head({exchange_.status, exchange_.headers});
    wait_for_chunk();
  }
  void upgrade() {
    constexpr int k_switching_protocols = 101;
    socket_ = std::make_unique<FakeSocket>(
        loop_, exchange_.socket,
        [this](std::string_view message) {
          if (!abandoned_ && handlers_.on_data) handlers_.on_data(message);
        },
        [this] {
          if (exchange_.ending != "never") schedule(exchange_.ends_after, &Playing::end);
        });
    if (handlers_.on_head) handlers_.on_head({k_switching_protocols, exchange_.headers});
    if (handlers_.on_socket) handlers_.on_socket(*socket_);
    if (!abandoned_) socket_->start();
  }
  void wait_for_chunk() {
    if (next_ < exchange_.chunks.size()) {
      return schedule(exchange_.chunks[next_].after, &Playing::send_chunk);
    }
    if (exchange_.ending != "never") schedule(exchange_.ends_after, &Playing::end);
  }
  void send_chunk() {
    const Exchange::Chunk& chunk = exchange_.chunks[next_++];
    const std::string data = chunk.stamped ? stamp() + ' ' + chunk.data : chunk.data;
    if (handlers_.on_data) handlers_.on_data(data);
    wait_for_chunk();
  }
  void end() {
    if (exchange_.ending == "reset") return finish_transient(net::connection_lost(k_server));
    finish(Status());
  }
  void finish_transient(Error error) {
    if (handlers_.on_transient) handlers_.on_transient(exchange_.pause);
    finish(std::move(error));
  }
  void finish(Status status) {
    abandon();
    if (handlers_.on_done) handlers_.on_done(std::move(status));
  }
  // No two lines carry the same time, as from a real container runtime.
  std::string stamp() {
    *last_stamp_ = std::max(loop_.now(), *last_stamp_) + Duration(1);
    return format_time(*last_stamp_, true);
  }

  Loop& loop_;
  std::shared_ptr<Time> last_stamp_;
  Exchange exchange_;
  net::Handlers handlers_;
  std::unique_ptr<FakeSocket> socket_;
  std::size_t next_ = 0;
  bool abandoned_ = false;
  HandlePtr timer_;
  HandlePtr deadline_;
};

class PlayingHandle : public Handle {
 public:
  explicit PlayingHandle(std::shared_ptr<Playing> playing) : playing_(std::move(playing)) {}
  ~PlayingHandle() override { playing_->abandon(); }

 private:
  std::shared_ptr<Playing> playing_;
};

}  // namespace

struct FakeTransport::State {
  struct Scripted {
    Exchange exchange;
    bool used = false;
  };
  Loop& loop;
  std::vector<Scripted> script;
  std::vector<std::string> complaints;
  std::shared_ptr<Time> last_stamp = std::make_shared<Time>();

  Exchange take(const net::Request& request) {
    const Target target = parse_target(request.target);
    for (Scripted& scripted : script) {
      if (scripted.used && !scripted.exchange.repeat) continue;
      if (!matches(scripted.exchange, request, target)) continue;
      scripted.used = true;
      return scripted.exchange;
    }
    const bool has_newer = std::any_of(script.begin(), script.end(), [&](const Scripted& one) {
      return std::any_of(std::begin(k_newer), std::end(k_newer), [&](std::string_view api) {
        return target.path.starts_with(api) && one.exchange.path.starts_with(api);
      });
    });
    if (is_newer(target.path) && !has_newer) return not_installed();
    if (is_watch(target)) return silent_watch();
    if (request.method == "GET" && is_namespace(target.path)) return existing();
    if (request.method == "GET" && is_end_of_log(target)) return nothing_printed();
    complaints.push_back(cat("unexpected ", request.method, ' ', request.target,
                             request.body.empty() ? "" : " with ", request.body,
                             "; still expected: ", join(unused(), ", ")));
    return not_scripted();
  }
  std::vector<std::string> unused() const {
    std::vector<std::string> lines;
    for (const Scripted& scripted : script) {
      if (!scripted.used && !scripted.exchange.repeat) lines.push_back(line_of(scripted.exchange));
    }
    return lines;
  }
};

FakeTransport::FakeTransport(Loop& loop, std::vector<Exchange> exchanges)
    : state_(std::make_shared<State>(State{loop, {}, {}})) {
  for (Exchange& exchange : exchanges) state_->script.push_back({std::move(exchange)});
}

FakeTransport::~FakeTransport() = default;

HandlePtr FakeTransport::start(net::Request request, net::Handlers handlers) {
  auto playing = std::make_shared<Playing>(state_->loop, state_->last_stamp, state_->take(request),
                                           std::move(handlers));
  playing->start(request.timeout);
  seen.push_back(std::move(request));
  return std::make_unique<PlayingHandle>(std::move(playing));
}

std::vector<std::string> FakeTransport::complaints() const {
  std::vector<std::string> lines = state_->complaints;
  for (const std::string& line : state_->unused()) lines.push_back("never requested: " + line);
  return lines;
}

}  // namespace trainctl::testing
