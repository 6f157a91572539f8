// Holds the end of a request whose daemon went away until there is a new one.
#include <algorithm>
#include <utility>
#include <vector>

#include "local/daemon/launch.h"

namespace trainctl::local {
namespace {

constexpr Duration k_first_look = std::chrono::milliseconds(5);
constexpr Duration k_longest_look = std::chrono::milliseconds(250);
// A daemon that needs longer is waited for by the retries above, who say so.
constexpr Duration k_patience = std::chrono::seconds(5);
// Until the next attempt where none came: one that grows would outlast the daemons that come and
// go.
constexpr Duration k_absent_pause = std::chrono::seconds(1);

struct Call {
  net::Handlers handlers;
  int daemon = 0;  // the last one known when it was made
  bool transient = false;
  std::optional<Error> failed;
};

class CallHandle : public Handle {
 public:
  CallHandle(std::shared_ptr<Call> call, HandlePtr running)
      : call_(std::move(call)), running_(std::move(running)) {}

 private:
  std::shared_ptr<Call> call_;  // the only owner of one that waits for a daemon
  HandlePtr running_;
};

class RevivingTransport : public net::Transport {
 public:
  RevivingTransport(Loop& loop, std::unique_ptr<net::Transport> inner, Revive revive)
      : loop_(loop), inner_(std::move(inner)), revive_(std::move(revive)) {}

  HandlePtr start(net::Request request, net::Handlers handlers) override {
    const auto call = std::make_shared<Call>();
    call->daemon = daemon_;
    net::Handlers watched;
    watched.on_head = std::move(handlers.on_head);
    watched.on_data = std::move(handlers.on_data);
    watched.on_transient = [call](std::optional<Duration>) { call->transient = true; };
    watched.on_done = [this, call](Status status) {
      if (status || !call->transient) return call->handlers.on_done(std::move(status));
      call->failed = std::move(status).error();
      wait_for_daemon(call);
    };
    call->handlers = std::move(handlers);
    return std::make_unique<CallHandle>(call,
                                        inner_->start(std::move(request), std::move(watched)));
  }

 private:
  void wait_for_daemon(const std::shared_ptr<Call>& call) {
    waiting_.push_back(call);
    if (waiting_.size() > 1) return;  // one look serves all
    give_up_ = loop_.now() + k_patience;
    next_look_ = k_first_look;
    look();
  }

  void look() {
    std::erase_if(waiting_, [](const auto& call) { return call.expired(); });
    if (waiting_.empty()) return;
    const Result<int> daemon = revive_();
    if (daemon && *daemon == 0 && loop_.now() < give_up_) {
      timer_ = loop_.after(next_look_, [this] { look(); });
      next_look_ = std::min(next_look_ * 2, k_longest_look);
      return;
    }
    if (daemon && *daemon != 0) daemon_ = *daemon;
    for (const std::weak_ptr<Call>& waiting : std::exchange(waiting_, {})) {
      if (const auto call = waiting.lock()) tell(*call, daemon);
    }
  }

  static void tell(Call& call, const Result<int>& daemon) {
    if (!daemon) return call.handlers.on_done(daemon.error());
    if (call.handlers.on_transient) call.handlers.on_transient(pause_before(*daemon, call.daemon));
    call.failed->hint = "trainctl local status shows the state of the embedded cluster";
    call.handlers.on_done(*std::move(call.failed));
  }

  static std::optional<Duration> pause_before(int daemon, int failed) {
    if (daemon == 0) return k_absent_pause;
    // There was nothing to wait for but another daemon. The same one again has trouble of its own,
    // which a growing pause may mend.
    return daemon != failed ? std::optional(Duration::zero()) : std::nullopt;
  }

  Loop& loop_;
  std::unique_ptr<net::Transport> inner_;
  Revive revive_;
  std::vector<std::weak_ptr<Call>> waiting_;
  int daemon_ = 0;
  Time give_up_{};
  Duration next_look_{};
  HandlePtr timer_;
};

}  // namespace

std::unique_ptr<net::Transport> make_reviving_transport(Loop& loop,
                                                        std::unique_ptr<net::Transport> inner,
                                                        Revive revive) {
  return std::make_unique<RevivingTransport>(loop, std::move(inner), std::move(revive));
}

}  // namespace trainctl::local
