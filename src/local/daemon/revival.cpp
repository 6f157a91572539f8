// Holds back the failure of a request whose daemon died until there is a new one.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/text/text.h"
#include "local/daemon/daemon.h"
#include "local/daemon/launch.h"

namespace trainctl::local {
namespace {

constexpr Duration k_first_look = std::chrono::milliseconds(5);
constexpr Duration k_longest_look = std::chrono::milliseconds(250);
// A daemon that takes longer is left to the retries in the layers above, which report that they
// wait.
constexpr Duration k_revival_patience = std::chrono::seconds(5);
// Pause before the next attempt when no daemon came. A growing pause would be longer than the lives
// of daemons that are killed repeatedly.
constexpr Duration k_absent_pause = std::chrono::seconds(1);

struct Call {
  net::Handlers handlers;
  int daemon = 0;  // the last daemon known when the call was made
  bool transient = false;
  std::optional<Error> failed;
};

class CallHandle : public Handle {
 public:
  CallHandle(std::shared_ptr<Call> call, HandlePtr running)
      : call_(std::move(call)), running_(std::move(running)) {}

 private:
  std::shared_ptr<Call> call_;  // sole owner of a call that waits for a daemon
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
    watched.on_socket = std::move(handlers.on_socket);
    watched.on_drained = std::move(handlers.on_drained);
    watched.on_transient = [call](std::optional<Duration>) { call->transient = true; };
    watched.on_done = [this, call](Status status) {
      if (status || !call->transient) return call->handlers.on_done(std::move(status));
      if (net::is_too_many_open(status.error())) {
        if (call->handlers.on_transient) call->handlers.on_transient(std::nullopt);
        return call->handlers.on_done(std::move(status));
      }
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
    if (waiting_.size() > 1) return;  // one check serves all calls
    give_up_ = loop_.now() + k_revival_patience;
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
      if (const auto call = waiting.lock()) report(*call, daemon);
    }
  }

  static void report(Call& call, const Result<int>& daemon) {
    if (!daemon) return call.handlers.on_done(daemon.error());
    if (call.handlers.on_transient) call.handlers.on_transient(pause_before(*daemon, call.daemon));
    call.failed->hint = "trainctl local status shows the state of the embedded cluster";
    call.handlers.on_done(*std::move(call.failed));
  }

  static std::optional<Duration> pause_before(int daemon, int failed) {
    if (daemon == 0) return k_absent_pause;
    // With a new daemon, the request is retried at once. When it is the same daemon, it has a
    // problem of its own, for which a growing pause is right.
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
