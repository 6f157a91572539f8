// Finds lines in the logs that the history has kept.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "job/logs/kept_line.h"

namespace trainctl::work {

enum class Case { matters, ignored };

// A POSIX extended regular expression, as grep -E reads it.
class LogPattern {
 public:
  // Code::usage with the C library's words for a pattern that is none.
  static Result<LogPattern> parse(const std::string& text, Case letters);

  bool matches(std::string_view line) const;

 private:
  struct Compiled;
  explicit LogPattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

// Calls `use` with the lines of a kept log that match. The lines' texts are valid only meanwhile.
void for_matches(std::string_view content, const LogPattern& pattern,
                 const std::function<void(const std::vector<job::KeptLine>&)>& use);

}  // namespace trainctl::work
