// URLs come from kubeconfigs and the environment: any text is refused, or taken apart so that
// nothing of it can reach another host, another line or a message that shows its password.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/url.h"

namespace {

using namespace trainctl;

void check(bool holds) {
  if (!holds) std::abort();
}

bool is_one_word(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') return false;
  }
  return true;
}

void check_parts(std::string_view text) {
  const auto parts = net::parse_url(text);
  if (!parts) {
    check(parts.error().code == Code::usage);
    return;
  }
  check(!parts->scheme.empty() && !parts->host.empty());
  check(parts->host.find_first_of("/@?#") == std::string::npos);
  check(parts->port >= 0 && parts->port <= 65535);
  check(is_one_word(parts->host) && is_one_word(parts->path) && is_one_word(parts->user_info));
  check(parts->path.empty() || (parts->path.front() == '/' && parts->path.back() != '/'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_parts(text);
  const std::string encoded = net::percent_encoded(text);
  check(is_one_word(encoded) && encoded.find_first_of("/?#&=@") == std::string::npos);
  check(net::percent_decoded(encoded) == text);
  check(net::percent_decoded(text).size() <= text.size());
  return 0;
}
