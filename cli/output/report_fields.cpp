// Reads the page that people read, so that it cannot differ from what the program says.
#include "cli/output/report_fields.h"

#include <algorithm>
#include <utility>

#include "base/embedded.h"
#include "base/text/text.h"

namespace trainctl::cli {
namespace {

// The cells of a row of a table in Markdown: "| `.kind` | text |".
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  for (const std::string& cell : split(row.substr(1, row.size() - 2), '|')) {
    cells.emplace_back(trim(cell));
  }
  return cells;
}

ReportField field_of(std::string_view row) {
  std::vector<std::string> cells = cells_of(row);
  std::erase(cells.at(0), '`');
  return {cells.at(0), cells.at(1), cells.at(2), cells.at(3)};
}

}  // namespace

std::vector<std::string> words_of(const ReportField& field) {
  std::vector<std::string> words;
  const std::string list = field.meaning.substr(0, field.meaning.find_first_of(":;"));
  for (const std::string& part : split(list, ',')) {
    constexpr std::string_view k_or = " or ";
    const auto before_last = std::min(part.find(k_or), part.size());
    words.emplace_back(trim(part.substr(0, before_last)));
    if (before_last < part.size()) words.emplace_back(trim(part.substr(before_last + k_or.size())));
  }
  return words;
}

std::vector<ReportTable> report_tables() {
  std::vector<ReportTable> tables;
  bool inside = false;
  for (const std::string& line : split(pages::embedded_files().front().content, '\n')) {
    const bool was_inside = std::exchange(inside, line.starts_with('|'));
    if (!inside || line.starts_with("|-")) continue;
    if (was_inside) {
      tables.back().fields.push_back(field_of(line));
    } else {
      tables.push_back({cells_of(line), {}});
    }
  }
  return tables;
}

}  // namespace trainctl::cli
