// Reads the tables of a page of docs/.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::testing {

inline std::filesystem::path root_path() {
  return std::filesystem::path(TRAINCTL_CASES) / ".." / "..";
}

using PageTable = std::vector<std::vector<std::string>>;

// The cells of each table's rows, without its header. Backticks around a cell are left out.
inline std::vector<PageTable> tables_of_page(const std::string& path) {
  std::ifstream file(root_path() / path);
  REQUIRE(file.is_open());
  std::vector<PageTable> tables;
  std::string before;
  for (std::string line; std::getline(file, line); before = line) {
    if (!line.starts_with("| ") || !before.starts_with('|')) continue;
    if (before.starts_with("|-")) tables.emplace_back();
    std::vector<std::string> cells;
    for (const std::string& cell : split(line.substr(1, line.size() - 2), '|')) {
      std::string text(trim(cell));
      const bool code =
          text.size() > 1 && text.front() == '`' && text.find('`', 1) + 1 == text.size();
      cells.push_back(code ? text.substr(1, text.size() - 2) : text);
    }
    tables.back().push_back(cells);
  }
  return tables;
}

}  // namespace trainctl::testing
