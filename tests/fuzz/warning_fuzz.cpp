// The Warning header is any server's or gateway's text on the user's terminal: one line, no
// control characters, never longer than what came.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "kube/client/client.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  for (const std::string& text : trainctl::kube::warning_texts(header)) {
    if (text.empty() || !trainctl::is_utf8(text)) std::abort();
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') std::abort();
    }
    if (trainctl::printable_line(text) != text) std::abort();
  }
  return 0;
}
