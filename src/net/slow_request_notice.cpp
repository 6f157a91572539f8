// Sets one timer per call.
#include "net/slow_request_notice.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl::net {
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
