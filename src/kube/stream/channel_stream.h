// One WebSocket of the API that has channels, from its request to its end; shared by exec, attach
// and port-forward.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "kube/client/client.h"

namespace trainctl::kube {

// A request to a pod for a stream.
struct ChannelTarget {
  std::string_view subresource;  // "exec", which an error names
  std::string_view what;         // "container": where the connection leads
};

class ChannelStream : public std::enable_shared_from_this<ChannelStream> {
 public:
  ChannelStream(Client& client, ChannelTarget target) : client_(client), target_(target) {}
  virtual ~ChannelStream() = default;

  // No callback runs before this returns, not even if `request` is an error.
  void start(Result<net::Request> request);
  // No callback runs afterwards. Callbacks may call this.
  void abandon();

  // As of net::WebSocket; without effect while there is none.
  void send(std::string_view head, std::string_view body);
  std::size_t waiting() const { return socket_ == nullptr ? 0 : socket_->waiting(); }
  void pause(bool paused);

 protected:
  Client& client() { return client_; }
  // nullptr before on_open and after on_end.
  net::WebSocket* socket() { return socket_; }

  virtual void on_open() = 0;
  virtual void on_message(std::string_view message) = 0;
  virtual void on_drained() = 0;
  // Called once. ok: the server has closed a stream that it had opened. If the cluster does not
  // serve the subresource, the failure says so.
  virtual void on_end(std::optional<Failure> failure, bool was_open) = 0;

 private:
  void end(std::optional<Failure> failure);

  Client& client_;
  ChannelTarget target_;
  net::WebSocket* socket_ = nullptr;
  bool over_ = false;
  HandlePtr stream_, later_;
};

}  // namespace trainctl::kube
