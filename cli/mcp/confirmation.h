// Values that prove that a change was shown before it is made. Each is bound to what was shown,
// works once, and expires.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/text/time.h"

namespace trainctl::cli::mcp {

inline constexpr Duration k_confirmation_life = std::chrono::minutes(10);

class Confirmations {
 public:
  // `key` must be unguessable.
  explicit Confirmations(std::string key) : key_(std::move(key)) {}

  // Returns the value that confirms exactly what `shown` describes.
  std::string issue(std::string_view shown, Time now);
  // Uses a value up. Code::usage when it was forged, used before, expired, or is for something
  // else.
  Status redeem(std::string_view value, std::string_view shown, Time now);

 private:
  std::string value_of_number(std::uint64_t number, Time expires, std::string_view shown) const;

  std::string key_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Time> open_;  // expiry by number
};

}  // namespace trainctl::cli::mcp
