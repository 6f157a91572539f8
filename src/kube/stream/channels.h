// The messages of a remote process: its streams, sizes and end, as channels of one WebSocket.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/value/json.h"

namespace trainctl::kube {

// The subprotocols that we speak, best first. Only v5 can say that stdin has ended.
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
