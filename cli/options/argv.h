// Reads the arguments of a command by its flags, before CLI11 does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

// A flag of the command, as it was typed or configured.
struct GivenFlag {
  std::string name;                  // the long name, without dashes
  std::optional<std::string> value;  // nullopt: a switch without one

  std::string typed() const;  // "--image=x", "--follow"
};

struct GivenArgs {
  std::vector<GivenFlag> flags;
  std::vector<std::string> positionals;
};

// An unknown flag, for which the caller suggests another.
struct UnknownFlag {
  std::string flag;  // "--fooo"
};

// Reads `args`, in which nothing is ambiguous afterwards. Refused (Code::usage): a flag whose value
// is empty or missing, or is another flag of the command; a value for a switch that takes none. An
// unknown flag is reported through `unknown` and ends the reading.
Result<GivenArgs> read_args(const CLI::App& app, const std::vector<std::string>& args,
                            UnknownFlag& unknown);

}  // namespace trainctl::cli
