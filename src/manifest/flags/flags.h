// The table of job flags: what the user may type, and which field of the manifest it sets.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The part of the manifest that a row's pointer, or its function's patch, is relative to.
enum class Scope {
  job,       // the whole manifest
  metadata,  // the job's metadata and every pod template's (given for a role: only that template's)
  run_policy,  // Controller::run_policy
  count,       // pointer names a role; the value is its number of replicas
  replica,     // an entry of the replica map
  pod,         // the spec of its pod template
  fill,        // the same, applied first: a volume that a later flag mounts at the path is filled
  container,   // the container the operator looks for
};

// Turns a typed value into JSON, or says what is wrong with it (Code::usage, without the flag's
// name: the caller adds that).
using Check = Result<Json> (*)(std::string_view text);

struct FlagUse;
struct PatchInput {
  const Kind& kind;
  const Role* role;                        // the role the patch is for; null above the roles
  std::string_view container;              // name of the role's training container
  const std::vector<std::string>& values;  // values of all occurrences, in order
  const std::vector<FlagUse>& uses;        // all flags given, for flags that depend on others
  const Environment& environment;          // the user's environment, for `-e NAME`
};
// Builds a patch for the scope from all values of a structured flag; called once for each role.
using Build = Result<Json> (*)(const PatchInput& input);

inline constexpr int k_not_shown = -1;

struct Flag {
  std::string_view name;        // without dashes
  char letter = 0;              // short form
  std::string_view value_name;  // "IMAGE"; "" = a switch
  std::string_view group;       // heading in the help
  std::string_view help;
  Scope scope;
  std::string_view pointer = "";  // simple rows: the field set to the checked value
  Check check = nullptr;          // simple rows; null = a switch, which sets true
  Build build = nullptr;          // structured rows
  bool repeatable = false;
  std::string_view kinds = "";  // aliases of the kinds that have it, blank-separated; "" = all
  // Place among the common flags, which the help of a command shows first, from 1; 0 = it is only
  // shown with its group; k_not_shown = an older spelling, which is accepted.
  int common = 0;
  // The flag only makes sense with Run:ai and is refused with this advice.
  std::string_view instead = "";
  std::string_view gives_way_to = "";  // a flag with the same meaning; when it is typed, it
                                       // overrides a configured value of this one
  std::string_view offers = "";        // plural of the core resource whose names begin a value
  bool computes = false;  // without a role, it excludes a leader that only starts the others
};

std::span<const Flag> flags();
const Flag* find_flag(std::string_view name);
bool applies_to(const Flag& flag, const Kind& kind);
// True for rows that --ROLE-NAME can set for one role.
bool per_role(const Flag& flag);

// A flag as given on the command line.
struct FlagUse {
  const Flag* flag = nullptr;
  const Role* role = nullptr;  // null = every role
  std::vector<std::string> values;
  std::string spelled() const;  // "--master-image", for messages
  bool switched_off() const;    // "--no-master=false"
};

// True when the flag was given and not switched off.
bool given(const std::vector<FlagUse>& uses, std::string_view flag);

// The value of another flag for the same role, else the one for every role; nullptr when not given.
const std::string* other_value(const PatchInput& input, std::string_view flag);

}  // namespace trainctl::job
