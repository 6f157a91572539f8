// Normalises the arguments of a command line before CLI11 reads them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

// An unknown flag, for which the caller suggests another.
struct UnknownFlag {
  std::string flag;  // "--fooo"
};

// Rewrites args (up to "--") so that they are unambiguous: every flag by its long name, its value
// behind '=', positional arguments last, behind "--". Refused (Code::usage): a flag whose value is
// empty or missing, or is another flag of the command; a value for a switch that takes none. An
// unknown flag is reported through `unknown` and ends the rewriting.
Result<std::vector<std::string>> normalised(const CLI::App& app,
                                            const std::vector<std::string>& args,
                                            UnknownFlag& unknown);

}  // namespace trainctl::cli
