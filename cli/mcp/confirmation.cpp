#include "cli/mcp/confirmation.h"

#include <charconv>

#include "base/file/sha256.h"
#include "base/text/text.h"

namespace trainctl::cli::mcp {
namespace {

constexpr std::size_t k_most_open = 256;

// Takes the same time wherever the texts differ.
bool same_secret(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t at = 0; at < left.size(); ++at) {
    difference |= static_cast<unsigned char>(left[at]) ^ static_cast<unsigned char>(right[at]);
  }
  return difference == 0;
}

Error not_confirmed() {
  return Error{Code::usage,
               "the confirmation is not valid: it was used, has expired, or is for another call",
               "call the tool without a confirmation, and show its answer to the user"};
}

}  // namespace

std::string Confirmations::value_of_number(std::uint64_t number, Time expires,
                                           std::string_view shown) const {
  const auto until = expires.time_since_epoch().count();
  return cat(number, ".", hmac_sha256_hex(key_, cat(number, "\n", until, "\n", shown)));
}

std::string Confirmations::issue(std::string_view shown, Time now) {
  if (open_.size() >= k_most_open) open_.erase(open_.begin());
  const Time expires = now + k_confirmation_life;
  open_.emplace(++last_, expires);
  return value_of_number(last_, expires, shown);
}

Status Confirmations::redeem(std::string_view value, std::string_view shown, Time now) {
  std::uint64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  const auto found = open_.find(number);
  if (found == open_.end()) return not_confirmed();
  if (!same_secret(value, value_of_number(number, found->second, shown))) return not_confirmed();
  const bool expired = now >= found->second;
  open_.erase(found);
  return expired ? Status(not_confirmed()) : Status();
}

}  // namespace trainctl::cli::mcp
