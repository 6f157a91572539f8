// Checks outside text before it goes into a header.
#include <algorithm>

#include "base/text/text.h"
#include "kube/config/kubeconfig_parts.h"

namespace trainctl::kube {

Status check_header_text(std::string_view what, std::string_view text) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::none_of(text, is_control)) return {};
  return Error{Code::usage, cat(what, " holds a line break or control character"), ""};
}

}  // namespace trainctl::kube
