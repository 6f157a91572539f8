// The fields of reports and log lines, as docs/reports.md lists them.
#pragma once

#include <string>
#include <vector>

namespace trainctl::cli {

struct ReportField {
  std::string path;  // ".replicas[*].name"
  std::string type;  // text, word, number, true or false, list, list of text, object, …
  std::string present_when;
  std::string meaning;
};

struct ReportTable {
  std::vector<std::string> header;
  std::vector<ReportField> fields;
};

// The words that the meaning of a `word` lists: "left, deleted or deletion failed", up to the first
// colon or semicolon.
std::vector<std::string> words_of(const ReportField& field);

// The tables of the page, in its order.
std::vector<ReportTable> report_tables();

}  // namespace trainctl::cli
