// Prints requests and answers as they pass, with masked credentials.
#include "net/trace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"

namespace trainctl::net {
namespace {

// Matched as parts of names, since new kinds of credentials are named like the old ones.
constexpr std::array<std::string_view, 6> k_secret_parts = {"authorization", "cookie",   "token",
                                                            "secret",        "password", "key"};

bool is_secret(std::string_view header_name) {
  const std::string name = lower(header_name);
  return std::ranges::any_of(
      k_secret_parts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

std::string shown(char direction, const Header& header) {
  const std::string value = is_secret(header.name) ? "***" : printable_line(header.value);
  return cat("  ", direction, ' ', printable_line(header.name), ": ", value);
}

// The facts of a request that are needed when its answer comes.
struct Traced {
  Loop& loop;
  std::function<void(std::string)> print;
  std::string line;
  std::vector<Header> headers;
  Time began;

  std::string elapsed() const {
    using std::chrono::milliseconds;
    return cat(std::chrono::duration_cast<milliseconds>(loop.now() - began).count(), " ms");
  }
  void print_head(const ResponseHead& head) const {
    print(cat(line, ' ', head.status, ' ', elapsed()));
    for (const Header& header : headers) print(shown('>', header));
    for (const Header& header : head.headers) print(shown('<', header));
  }
};

class TraceTransport : public Transport {
 public:
  TraceTransport(Loop& loop, std::unique_ptr<Transport> inner,
                 std::function<void(std::string)> print)
      : loop_(loop), inner_(std::move(inner)), print_(std::move(print)) {}

  HandlePtr start(Request request, Handlers handlers) override {
    const Traced traced{loop_, print_, request.method + ' ' + request.target, request.headers,
                        loop_.now()};
    handlers.on_head = [traced, on_head = std::move(handlers.on_head)](const ResponseHead& head) {
      traced.print_head(head);
      if (on_head) on_head(head);
    };
    handlers.on_done = [traced, on_done = std::move(handlers.on_done)](Status status) {
      if (!status) {
        traced.print(
            cat(traced.line, " failed after ", traced.elapsed(), ": ", status.error().message));
      }
      if (on_done) on_done(std::move(status));
    };
    return inner_->start(std::move(request), std::move(handlers));
  }

 private:
  Loop& loop_;
  std::unique_ptr<Transport> inner_;
  std::function<void(std::string)> print_;
};

}  // namespace

std::unique_ptr<Transport> make_trace(Loop& loop, std::unique_ptr<Transport> inner,
                                      std::function<void(std::string)> print) {
  return std::make_unique<TraceTransport>(loop, std::move(inner), std::move(print));
}

namespace {

constexpr Duration k_slow_after = std::chrono::seconds(2);

struct NoticeParts {
  std::string server;
  std::function<void(std::string)> notice;
  bool reported = false;
};

// Abandons the request and its timer.
struct WatchedRequest : Handle {
  WatchedRequest(HandlePtr timer, HandlePtr request)
      : timer_(std::move(timer)), request_(std::move(request)) {}

 private:
  HandlePtr timer_, request_;
};

class SilenceNotice : public Transport {
 public:
  SilenceNotice(Loop& loop, std::unique_ptr<Transport> inner, std::string server,
                std::function<void(std::string)> notice)
      : loop_(loop),
        inner_(std::move(inner)),
        shared_(std::make_shared<NoticeParts>(NoticeParts{std::move(server), std::move(notice)})) {}

  HandlePtr start(Request request, Handlers handlers) override {
    if (request.timeout == Duration::zero()) {
      return inner_->start(std::move(request), std::move(handlers));
    }
    const auto waiting = std::make_shared<bool>(true);
    handlers.on_done = [shared = shared_, began = loop_.now(), &loop = loop_, waiting,
                        on_done = std::move(handlers.on_done)](Status status) {
      *waiting = false;
      if (loop.now() - began < k_slow_after) shared->reported = false;
      if (on_done) on_done(std::move(status));
    };
    auto timer = loop_.after(k_slow_after, [shared = shared_, waiting] {
      if (!*waiting || std::exchange(shared->reported, true)) return;
      shared->notice(cat("waiting for ", shared->server, " to answer"));
    });
    auto running = inner_->start(std::move(request), std::move(handlers));
    return std::make_unique<WatchedRequest>(std::move(timer), std::move(running));
  }

 private:
  Loop& loop_;
  std::unique_ptr<Transport> inner_;
  std::shared_ptr<NoticeParts> shared_;
};

}  // namespace

std::unique_ptr<Transport> make_slow_request_notice(Loop& loop, std::unique_ptr<Transport> inner,
                                                    std::string server,
                                                    std::function<void(std::string)> notice) {
  return std::make_unique<SilenceNotice>(loop, std::move(inner), std::move(server),
                                         std::move(notice));
}

}  // namespace trainctl::net
