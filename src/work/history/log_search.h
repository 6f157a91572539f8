// Finds lines in the logs that the history has kept.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl::work {

enum class Case { matters, ignored };

// A POSIX extended regular expression, as grep -E reads it.
class LogPattern {
 public:
  // Code::usage with the C library's message for an invalid pattern.
  static Result<LogPattern> parse(const std::string& text, Case letters);

  bool matches(std::string_view line) const;

 private:
  struct Compiled;
  explicit LogPattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

// The lines of a kept log whose text matches, as they are kept. A gap is not a line.
std::string matching_lines(std::string_view content, const LogPattern& pattern);

}  // namespace trainctl::work
