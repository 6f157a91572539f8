// Finds regular expressions in lines. The time grows with the line alone, since nothing backtracks;
// patterns that would make each byte expensive, or take more than 2 MiB, are refused.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace trainctl {

enum class LetterCase { matters, ignored };

// The part of a line from one byte to before another.
struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Match&) const = default;
};

// A regular expression in RE2's syntax, which is Perl's without back references and look-around.
// Copies share the compiled form. Malformed bytes of a line count as one character each.
class Pattern {
 public:
  // Code::usage, without a hint, for a pattern that is empty, invalid or too large.
  static Result<Pattern> make(std::string_view text, LetterCase letters = LetterCase::matters);

  // In one of the states of the line (for_each_state): colours are no part of it.
  bool found_in(std::string_view line) const;
  // The text of the first match's first group, or the whole match of a pattern without groups.
  // nullopt if nothing matches, or if the group has no part in the match.
  std::optional<std::string_view> group(std::string_view line) const;
  // All matches that are not empty, from left to right. In a very long line, only the first ones.
  std::vector<Match> matches(std::string_view line) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace trainctl
