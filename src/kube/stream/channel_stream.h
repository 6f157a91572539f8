// One WebSocket of the API that has channels, from its request to its end; shared by exec, attach
// and port-forward.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/value/json.h"
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

// The messages of a remote process: its streams, sizes and end, as channels of one WebSocket. The
// subprotocols that we speak, best first. Only v5 can say that stdin has ended.
inline constexpr std::string_view k_channels_v5 = "v5.channel.k8s.io";
inline constexpr std::string_view k_channels_v4 = "v4.channel.k8s.io";

// The first byte of each message.
enum class Channel : unsigned char {
  input = 0,
  output = 1,
  error_output = 2,
  status = 3,
  resize = 4,
  close = 255,
};

// The end of a remote process, as the server's Status reports it.
struct RemoteExit {
  int code = 0;
};
// It did not run, or nobody knows how it ended: the node's message.
struct RemoteFault {
  std::string words;
};
using RemoteEnd = std::variant<RemoteExit, RemoteFault>;

struct ChannelMessage {
  Channel channel = Channel::output;
  std::string_view bytes;
};
// nullopt for an empty message or an unknown channel; both are to be ignored.
std::optional<ChannelMessage> read_message(std::string_view message);

// The byte in front of what is sent on a channel.
std::string channel_head(Channel channel);
// The message that closes a channel, in v5.
std::string closing_message(Channel channel);
// The content of a message on `resize`.
std::string size_message(int width, int height);

// Reads the content of a message on `status`.
RemoteEnd read_end(std::string_view status);

}  // namespace trainctl::kube
