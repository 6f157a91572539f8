// Defines them once for the commands that submit.
#include "cli/options/code_flags.h"

namespace trainctl::cli {

void add_code_flags(const FlagAdder& submit, work::CodeSource& code) {
  CLI::Option* directory = submit.text(
      "--code", code.directory, "DIR",
      "send the files of this directory (in git: tracked, and not ignored) along to /code, where "
      "the program starts");
  check_values(directory, [](const std::string& value) {
    return std::string(value.empty() ? "must not be empty: --code . sends this directory" : "");
  });
  submit.list("--code-include", code.included, "PATH",
              "send this file of --code although it is ignored, or looks like credentials; "
              "repeatable");
  submit.text("--code-image", code.image, "IMAGE",
              "image with sh, tar and gzip that unpacks the code (default: the replica's own)");
}

}  // namespace trainctl::cli
