// Extracts the facts of a refused answer from which api_error builds its messages.
#pragma once

#include <string>
#include <string_view>

#include "kube/client/api_error.h"

namespace trainctl::kube {

struct RefusedAnswer {
  Refusal refusal;
  Json status;          // the Status object; null when the answer held none
  std::string quote;    // first line of a body that is no Status
  std::string gateway;  // its Server or Via header
};

// `method` matters because a conflict means something else for a POST.
RefusedAnswer read_answer(std::string_view method, const net::ResponseHead& head,
                          std::string_view body);

}  // namespace trainctl::kube
