// One line of a log as the history keeps it: fields that tabs separate, the text last.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/logs/log_printer.h"

namespace trainctl::job {

struct KeptLine {
  std::string replica;  // "worker-1"; "" = a gap
  std::optional<int> rank;
  std::string container;
  int attempt = 1;
  kube::LogLine line;
  std::size_t left_out = 0;  // of a gap: how many lines are missing
};

// The line with its newline.
std::string kept_line(const LogOrigin& origin, const kube::LogLine& line);
std::string kept_gap(std::size_t left_out);
// The beginning of a gap. A replica's line begins with its name, so it never begins like this.
inline constexpr std::string_view k_gap_begins = "\t\t\t\t\t\t";
// The text of a kept line without its newline; empty for a damaged one.
std::string_view kept_text(std::string_view line);
// Lines that are damaged, or not whole, are left out.
std::vector<KeptLine> read_kept_lines(std::string_view content);

}  // namespace trainctl::job
