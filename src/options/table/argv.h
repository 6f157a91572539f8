// Reads the arguments of a command by the flags that it has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl::options {

// A flag that a command has.
struct KnownFlag {
  std::string name;    // the long name, without dashes
  std::string letter;  // the short form, without its dash; "" = none
  bool takes_value = false;
};
using KnownFlags = std::vector<KnownFlag>;

// Finds a flag as it is typed, "--image" or "-i"; nullptr = there is none.
const KnownFlag* known_flag(const KnownFlags& flags, std::string_view typed);

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
// is empty or missing, or is another flag of the command. A switch may have a value behind `=`,
// which the caller checks. An unknown flag is reported through `unknown` and ends the reading.
Result<GivenArgs> read_args(const KnownFlags& flags, const std::vector<std::string>& args,
                            UnknownFlag& unknown);

}  // namespace trainctl::options
