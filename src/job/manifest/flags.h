// THE TABLE of job flags: what the user may type, and where in the manifest it goes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/json.h"
#include "base/result.h"
#include "job/kind/kind.h"

namespace trainctl::job {

// What a row's pointer, or the patch its function builds, is relative to.
enum class Scope {
  job,       // the whole manifest
  metadata,  // the job's metadata and every pod template's (given for a role: only that template's)
  run_policy,  // Kind::run_policy
  count,       // pointer names a role; the value is its number of replicas
  replica,     // an entry of the replica map
  pod,         // its template's spec
  container,   // the container the operator looks for
};

// Who may give an option beside the user: the file of a working tree can come with a stranger's
// repository.
enum class Tree {
  freely,
  with_value,  // NAME=VALUE, but no NAME alone: it would pass a variable of the user's on
  agreed,      // widens what the pods may do or read: after the user agreed to the file's content
  never,       // where, as whom, how quietly, how safely; files of the user's
};

// Turns a typed value into JSON, or says what is wrong with it (Code::usage, without the flag's
// name: the caller adds that).
using Check = Result<Json> (*)(std::string_view text);

struct FlagUse;
struct PatchInput {
  const Kind& kind;
  const Role* role;                        // the role the patch is for; null above the roles
  std::string_view container;              // name of the role's training container
  const std::vector<std::string>& values;  // all occurrences, in order
  const std::vector<FlagUse>& uses;        // every flag given, for those that go together
  const Environment& environment;          // the caller's, for `-e NAME`
};
// Builds a patch for the scope from all values of a structured flag; called once for each role.
using Build = Result<Json> (*)(const PatchInput& input);

struct Flag {
  std::string_view name;        // without dashes
  char letter = 0;              // short form
  std::string_view value_name;  // "IMAGE"; "" = a switch
  std::string_view group;       // heading in the help
  Tree tree;                    // what a working tree's file may say
  std::string_view help;
  Scope scope;
  std::string_view pointer = "";  // simple rows: the field set to the checked value
  Check check = nullptr;          // simple rows; none: a switch, sets true
  Build build = nullptr;          // structured rows
  bool repeatable = false;
  std::string_view kinds = "";    // aliases of the kinds that have it, blank-separated; "" = all
  bool hidden = false;            // accepted but not shown: an older spelling
  std::string_view instead = "";  // refused with this advice: it has no meaning without Run:ai
  std::string_view gives_way_to = "";  // says the same: a configured value yields to a typed one
  std::string_view offers = "";        // plural of the core resource whose names begin a value
  bool computes = false;  // for all roles means: all but a leader that only starts the rest
};

std::span<const Flag> flags();
const Flag* find_flag(std::string_view name);
bool applies_to(const Flag& flag, const Kind& kind);
// True for rows that --ROLE-NAME gives for one role.
bool per_role(const Flag& flag);

// A flag as given on the command line.
struct FlagUse {
  const Flag* flag = nullptr;
  const Role* role = nullptr;  // null = every role
  std::vector<std::string> values;
  std::string spelled() const;  // "--master-image", for messages
  bool switched_off() const;    // "--no-master=false"
};

// A flag that is there and not switched off.
bool given(const std::vector<FlagUse>& uses, std::string_view flag);

// The value of another flag for the same role, else the one for every role; nullptr when not given.
const std::string* other_value(const PatchInput& input, std::string_view flag);

}  // namespace trainctl::job
