// The training operator's validating webhooks.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::local {

struct WebhookAnswer {
  std::string denial;  // the whole message of the 403; "" = allowed
  std::vector<std::string> warnings;
};

// `before` is the stored job of an update, else null. A kind without a webhook allows everything.
WebhookAnswer ask_webhook(const job::Kind& kind, const Json& object, const Json* before);

}  // namespace trainctl::local
