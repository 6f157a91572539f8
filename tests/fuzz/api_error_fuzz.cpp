// Whatever a server or a gateway answers, its refusal becomes one printable line with an exit
// status, and a wait that is no longer than a day. Input: the status, Retry-After and Content-Type
// on a line each, then the body.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "kube/client/api_error.h"

namespace {

using namespace trainctl;

std::string take_line(std::string_view& rest) {
  const Halves halves = split_once(rest, '\n');
  rest.remove_prefix(std::min(rest.size(), halves.first.size() + 1));
  return halves.first;
}

int status_of(const std::string& text) {
  int status = 500;
  std::from_chars(text.data(), text.data() + text.size(), status);
  return status;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  net::ResponseHead head;
  head.status = status_of(take_line(rest));
  head.headers = {{"Retry-After", take_line(rest)}, {"Content-Type", take_line(rest)}};
  for (const char* method : {"GET", "POST"}) {
    const kube::CallInfo call{method, "/apis/kubeflow.org/v1/namespaces/a/pytorchjobs/b", "a token",
                              "https://h"};
    const Error error = kube::api_error(call, head, rest);
    if (error.code == Code::ok) std::abort();
    for (const std::string& line : {error.message, error.hint}) {
      if (printable_line(line) != line) std::abort();
    }
    const kube::Refusal refusal = kube::read_refusal(method, head, rest);
    constexpr auto k_day = std::chrono::hours(24);
    if (refusal.retry_after && *refusal.retry_after > k_day) std::abort();
    if (refusal.retry_after && *refusal.retry_after < Duration::zero()) std::abort();
  }
  return 0;
}
