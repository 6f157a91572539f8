// Environment variables as a value: main copies them once, and nothing below calls getenv.
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

  const std::map<std::string, std::string, std::less<>>& all() const { return variables_; }

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace trainctl
