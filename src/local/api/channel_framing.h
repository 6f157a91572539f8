// Chooses the subprotocol of exec, attach and port-forward, and adapts sessions to those that frame
// messages otherwise than v4 and v5.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "local/answer.h"

namespace trainctl::local {

struct ChannelFraming {
  std::string_view protocol;  // "" = a client that offers none
  // Each message is text: the channel as a digit, then base64.
  bool base64 = false;
  // The status channel carries a fault of the command as plain text, and nothing for a success.
  bool plain_status = false;
  bool for_ports = false;  // port-forward speaks it, too
};

// The first of `offered` that a kubelet speaks; nullptr = none.
const ChannelFraming* chosen_framing(const std::vector<std::string>& offered, bool for_ports);
// The subprotocols that can be offered, for a refusal.
std::string framing_names(bool for_ports);

// Wraps `session`, which speaks v4 or v5, in this framing; returns it unchanged when the framing is
// theirs.
std::unique_ptr<ApiSession> framed(std::unique_ptr<ApiSession> session,
                                   const ChannelFraming& framing, bool for_ports);

}  // namespace trainctl::local
