// The user's choice among the lines that are printed, by regular expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/pattern.h"

namespace trainctl::job {

struct LineFilter {
  std::vector<Pattern> include;    // without any, every line
  std::vector<Pattern> exclude;    // stronger than `include`
  std::vector<Pattern> highlight;  // hides no line

  bool hides_lines() const { return !include.empty() || !exclude.empty(); }
  bool passes(std::string_view line) const;
  // The text, made safe for a terminal before, with its matches in inverse video. The text's own
  // colours are no part of what is searched, and are kept.
  std::string highlighted(std::string text) const;
};

}  // namespace trainctl::job
