// REPLICA, RANK, CONTAINER, ATTEMPT, "partial" or "", TIME, TEXT. A gap has only a TEXT: how many
// lines are missing.
#include "job/logs/kept_line.h"

#include <array>

#include "base/text/number.h"
#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_fields_before_text = k_gap_begins.size();
constexpr std::string_view k_partial = "partial";

std::optional<KeptLine> read_kept_line(std::string_view bytes) {
  std::array<std::string_view, k_fields_before_text> fields;
  for (std::string_view& field : fields) {
    const std::size_t end = bytes.find('\t');
    if (end == std::string_view::npos) return std::nullopt;
    field = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
  }
  const auto& [replica, rank, container, attempt, partial, stamp] = fields;
  KeptLine kept;
  kept.replica = replica;
  kept.rank = parse_number<int>(rank);
  kept.container = container;
  kept.attempt = parse_number<int>(attempt).value_or(1);
  kept.line.stamp_text = stamp;
  kept.line.stamp = parse_time(stamp);
  kept.line.text = bytes;
  kept.line.complete = partial != k_partial;
  if (replica.empty()) kept.left_out = parse_number<std::size_t>(bytes).value_or(0);
  return kept;
}

}  // namespace

std::string kept_line(const LogOrigin& origin, const kube::LogLine& line) {
  return cat(origin.replica.name(), '\t', origin.rank ? std::to_string(*origin.rank) : "", '\t',
             origin.container, '\t', origin.attempt, '\t', line.complete ? "" : k_partial, '\t',
             line.stamp_text, '\t', line.text, '\n');
}

std::string kept_gap(std::size_t left_out) {
  return cat(k_gap_begins, left_out, '\n');
}

std::string_view kept_text(std::string_view line) {
  for (std::size_t field = 0; field < k_fields_before_text; ++field) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line;
}

std::vector<KeptLine> read_kept_lines(std::string_view content) {
  std::vector<KeptLine> lines;
  for (;;) {
    const std::size_t end = content.find('\n');
    if (end == std::string_view::npos) return lines;
    if (auto line = read_kept_line(content.substr(0, end))) lines.push_back(*std::move(line));
    content.remove_prefix(end + 1);
  }
}

}  // namespace trainctl::job
