// The words of a command line brought into one spelling before CLI11 reads them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

// A flag no definition knows, for the caller to suggest another.
struct UnknownFlag {
  std::string flag;  // "--fooo"
};

// Rewrites args (without what follows "--") so that nothing is left to guess: every flag by its
// long name, its value behind '=', positional words last, behind "--". Refused (Code::usage): a
// flag whose value is empty or missing, or would be another flag of the command; a value for a
// switch that takes none. An unknown flag is told through `unknown` and ends the walk.
Result<std::vector<std::string>> normalised(const CLI::App& app,
                                            const std::vector<std::string>& args,
                                            UnknownFlag& unknown);

}  // namespace trainctl::cli
