// A variable of its own wins over the place below the home directory.
#include "base/environment.h"

namespace trainctl {
namespace {

constexpr std::string_view k_own_name = "/trainctl";

std::string own_directory(const Environment& environment, std::string_view variable,
                          std::string_view below_home) {
  std::string base = absolute_directory(environment, variable);
  if (base.empty()) {
    base = absolute_directory(environment, "HOME");
    if (base.empty()) return "";
    if (base == "/") base.clear();
    base += below_home;
  }
  return base.append(k_own_name);
}

}  // namespace

std::string absolute_directory(const Environment& environment, std::string_view variable) {
  std::string path = environment.text(variable);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.starts_with('/') ? path : "";
}

std::string config_directory(const Environment& environment) {
  return own_directory(environment, "XDG_CONFIG_HOME", "/.config");
}

std::string state_directory(const Environment& environment) {
  return own_directory(environment, "XDG_STATE_HOME", "/.local/state");
}

bool is_homeless(const Environment& environment) {
  return absolute_directory(environment, "HOME") == "/" &&
         absolute_directory(environment, "XDG_STATE_HOME").empty();
}

}  // namespace trainctl
