// The output of a credential plugin becomes a credential that fits into a header, or a failed login
// that shows nothing of it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text/text.h"
#include "kube/auth/exec_plugin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainctl;
  const std::string_view output(reinterpret_cast<const char*>(data), size);
  const kube::ExecPlugin plugin{
      "client.authentication.k8s.io/v1", "login", {}, {}, "", "Never", {}};
  const auto answer = kube::read_plugin_answer(plugin, output);
  if (!answer) {
    if (answer.error().code != Code::auth) std::abort();
    if (printable_line(answer.error().message) != answer.error().message) std::abort();
    return 0;
  }
  if (answer->token.empty() && answer->key_pem.empty()) std::abort();
  if (answer->token.find_first_of("\r\n") != std::string::npos) std::abort();
  return 0;
}
