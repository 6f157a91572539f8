// Reads and writes single messages, and interprets the Status of the end.
#include "kube/stream/channels.h"

#include "base/text/number.h"
#include "base/text/text.h"

namespace trainctl::kube {
namespace {

constexpr int k_most_code = 255;

std::optional<int> exit_code_in(const Json& status) {
  for (const Json& cause : array_at(status, "/details/causes")) {
    if (text_at(cause, "/reason") != "ExitCode") continue;
    const auto code = parse_number<int>(text_at(cause, "/message"));
    if (code && *code > 0 && *code <= k_most_code) return code;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ChannelMessage> read_message(std::string_view message) {
  if (message.empty()) return std::nullopt;
  const auto number = static_cast<unsigned char>(message.front());
  const bool known = number <= static_cast<unsigned char>(Channel::resize) ||
                     number == static_cast<unsigned char>(Channel::close);
  if (!known) return std::nullopt;
  return ChannelMessage{static_cast<Channel>(number), message.substr(1)};
}

std::string channel_head(Channel channel) {
  return {static_cast<char>(channel)};
}

std::string closing_message(Channel channel) {
  return {static_cast<char>(Channel::close), static_cast<char>(channel)};
}

std::string size_message(int width, int height) {
  return dump(Json{{"Width", width}, {"Height", height}});
}

RemoteEnd read_end(std::string_view status) {
  const Result<Json> parsed = parse_json(status, "the end of the command");
  const std::string unclear = "the server did not report how the command ended: ";
  if (!parsed || !parsed->is_object()) {
    return RemoteFault{unclear + printable_line(status.substr(0, 200))};
  }
  if (text_at(*parsed, "/status") == "Success") return RemoteExit{0};
  if (const auto code = exit_code_in(*parsed)) return RemoteExit{*code};
  std::string words = text_at(*parsed, "/message");
  if (words.empty()) words = text_at(*parsed, "/reason");
  return RemoteFault{words.empty() ? unclear + "it gave no reason" : words};
}

}  // namespace trainctl::kube
