// The framings of exec, attach and port-forward: which subprotocols are spoken, and sessions for
// the ones that are not those of v4 and v5.
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
  // A fault of the command is plain text on the channel of the status, and success is nothing.
  bool plain_status = false;
  bool for_ports = false;  // port-forward speaks it, too
};

// The first of `offered` that a kubelet speaks; nullptr = none.
const ChannelFraming* chosen_framing(const std::vector<std::string>& offered, bool for_ports);
// The subprotocols that can be offered, for a refusal.
std::string framing_names(bool for_ports);

// `session` speaks v4 or v5. It is returned as it is when the framing is theirs.
std::unique_ptr<ApiSession> framed(std::unique_ptr<ApiSession> session,
                                   const ChannelFraming& framing, bool for_ports);

}  // namespace trainctl::local
