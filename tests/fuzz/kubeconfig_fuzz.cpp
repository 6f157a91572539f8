// A kubeconfig is written by others: any text must give a configuration or a usage error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/config/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = trainctl::kube::parse_kubeconfig(text, "config");
  if (!config && config.error().code != trainctl::Code::usage) std::abort();
  return 0;
}
