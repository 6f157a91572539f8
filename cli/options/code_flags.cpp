// Defines them once for the commands that submit.
#include "cli/options/code_flags.h"

namespace trainctl::cli {

void add_code_flags(const OptionBinder& bind, work::CodeSource& code) {
  CLI::Option* directory = bind("code", code.directory);
  check_values(directory, [](const std::string& value) {
    return std::string(value.empty() ? "must not be empty: --code . sends this directory" : "");
  });
  bind("code-include", code.included);
  bind("code-image", code.image);
}

}  // namespace trainctl::cli
