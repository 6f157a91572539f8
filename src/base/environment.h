// Environment variables as a value: main copies them once, and nothing below calls getenv. The
// directories of a user's own files follow from them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trainctl {

class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string, std::less<>> variables)
      : variables_(std::move(variables)) {}

  // nullopt when unset; an empty value is a value.
  std::optional<std::string> get(std::string_view name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
  }
  // The value, or "" when unset.
  std::string text(std::string_view name) const { return get(name).value_or(""); }

  // True for a value that switches something on: neither empty, nor 0 or false.
  bool is_on(std::string_view name) const {
    const std::string value = text(name);
    return !value.empty() && value != "0" && value != "false";
  }

  const std::map<std::string, std::string, std::less<>>& all() const { return variables_; }

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

// True where an AI agent runs this program: AI_AGENT, or AGENT, which some set instead.
inline bool is_for_agent(const Environment& environment) {
  return environment.is_on("AI_AGENT") || environment.is_on("AGENT");
}

// The directories of a user's own files, by the XDG base directory specification. The directory
// that a variable names, without '/' at its end; "" for a relative one, which the specification
// tells us to ignore.
std::string absolute_directory(const Environment& environment, std::string_view variable);

// trainctl's own directory below $XDG_CONFIG_HOME or ~/.config; "" without HOME.
std::string config_directory(const Environment& environment);

// trainctl's own directory below $XDG_STATE_HOME or ~/.local/state; "" without HOME.
std::string state_directory(const Environment& environment);

// True where a container's user has no home: a runtime sets HOME to "/" for one that the image does
// not know.
bool is_homeless(const Environment& environment);

}  // namespace trainctl
