// Reads a file of environment variables line by line.
#include "job/manifest/env_file.h"

#include "base/text/text.h"
#include "job/kind/names.h"
#include "job/manifest/flag_values.h"

namespace trainctl::job {

Result<std::vector<std::string>> env_file_variables(std::string_view text) {
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(k_byte_order_mark)) text.remove_prefix(k_byte_order_mark.size());
  std::vector<std::string> variables;
  int number = 0;
  for (std::string& line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.empty() || line.starts_with('#')) continue;
    const std::string name = split_once(line, '=').first;
    if (const auto fault = variable_name_fault(name); !fault.empty()) {
      Error error = bad_value(name, fault, "write NAME=VALUE, one per line, as in LR=0.1");
      error.message = cat("line ", number, ": ", error.message);
      return error;
    }
    variables.push_back(std::move(line));
  }
  return variables;
}

}  // namespace trainctl::job
