// Watches the end of every request for a daemon that went away.
#include "local/daemon/launch.h"

namespace trainctl::local {
namespace {

class RevivingTransport : public net::Transport {
 public:
  RevivingTransport(std::unique_ptr<net::Transport> inner, std::function<Status()> revive)
      : inner_(std::move(inner)), revive_(std::move(revive)) {}

  HandlePtr start(net::Request request, net::Handlers handlers) override {
    struct Outcome {
      bool transient = false;
    };
    auto outcome = std::make_shared<Outcome>();
    net::Handlers watched;
    watched.on_head = std::move(handlers.on_head);
    watched.on_data = std::move(handlers.on_data);
    watched.on_transient = [outcome] { outcome->transient = true; };
    watched.on_done = [this, outcome, done = std::move(handlers.on_done),
                       transient = std::move(handlers.on_transient)](Status status) {
      if (!outcome->transient || status) return done(std::move(status));
      if (Status revived = revive_(); !revived) return done(std::move(revived));
      if (transient) transient();
      Error error = std::move(status).error();
      error.hint = "trainctl local status tells how the embedded cluster stands";
      done(std::move(error));
    };
    return inner_->start(std::move(request), std::move(watched));
  }

 private:
  std::unique_ptr<net::Transport> inner_;
  std::function<Status()> revive_;
};

}  // namespace

std::unique_ptr<net::Transport> make_reviving_transport(std::unique_ptr<net::Transport> inner,
                                                        std::function<Status()> revive) {
  return std::make_unique<RevivingTransport>(std::move(inner), std::move(revive));
}

}  // namespace trainctl::local
