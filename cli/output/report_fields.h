// The fields of reports and log lines, as docs/reports.md lists them.
#pragma once

#include <string>
#include <vector>

namespace trainctl::cli {

struct ReportField {
  std::string path;  // ".replicas[*].name"
  std::string type;  // text, number, true or false, list, object, time, any
  std::string present_when;
  std::string meaning;
};

struct ReportTable {
  std::vector<std::string> header;
  std::vector<ReportField> fields;
};

// The tables of the page, in its order.
std::vector<ReportTable> report_tables();

}  // namespace trainctl::cli
