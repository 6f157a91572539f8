// Chooses variables by name, and counts the devices /dev/nvidia0, /dev/nvidia1 and so on.
#include "local/daemon/base_environment.h"

#include <algorithm>
#include <filesystem>

namespace trainctl::local {
namespace {

constexpr std::string_view k_kept_variables[] = {
    "PATH", "HOME",   "USER",        "LOGNAME",    "SHELL",        "LANG",
    "TZ",   "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "CONDA_PREFIX", "LD_LIBRARY_PATH",
};

bool is_kept(std::string_view name) {
  return name.starts_with("LC_") ||
         std::ranges::find(k_kept_variables, name) != std::end(k_kept_variables);
}

bool is_gpu_device(std::string_view name) {
  constexpr std::string_view k_device_prefix = "nvidia";
  if (!name.starts_with(k_device_prefix) || name.size() == k_device_prefix.size()) return false;
  return name.find_first_not_of("0123456789", k_device_prefix.size()) == std::string_view::npos;
}

}  // namespace

Environment base_environment(const Environment& daemon) {
  std::map<std::string, std::string, std::less<>> kept;
  for (const auto& [name, value] : daemon.all()) {
    if (is_kept(name)) kept.emplace(name, value);
  }
  return Environment(std::move(kept));
}

int gpus_present() {
  std::error_code trouble;
  int count = 0;
  std::filesystem::directory_iterator entry("/dev", trouble);
  for (; !trouble && entry != std::filesystem::directory_iterator{}; entry.increment(trouble)) {
    if (is_gpu_device(entry->path().filename().string())) ++count;
  }
  return count;
}

}  // namespace trainctl::local
