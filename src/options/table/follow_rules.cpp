// Finds flags for reports, limits and messages that exist only while a job is followed or waited
// for.
#include "options/table/follow_rules.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text/text.h"
#include "options/table/defaults.h"

namespace trainctl::options {
namespace {

// The row of a flag that has an effect; nullopt for one that is switched off, as --wait=false.
std::optional<OptionRow> row_in_effect(const std::string& command, const GivenFlag& flag) {
  const auto row = find_row(command, flag.name);
  return row && flag.value != row->off ? row : std::nullopt;
}

bool needs_follow(const std::string& command, const std::optional<OptionRow>& row,
                  const std::vector<GivenFlag>& given) {
  if (!row || row->following == Following::unrelated) return false;
  if (row->following == Following::chooses_lines) return command != "logs";
  return row->following == Following::needs ||
         std::ranges::none_of(given, [](const GivenFlag& flag) {
           return flag.name == "if-exists" && flag.value == "replace";
         });
}

// The flags that make the command follow its job, "--follow" and "--wait"; empty when it always
// does, or never.
std::vector<std::string> asking_options(const std::string& command) {
  std::vector<std::string> names;
  for (const OptionRow& row : option_rows()) {
    const bool is_of_command = find_option_row(command, row.name) == &row;
    if (is_of_command && row.following == Following::starts) names.push_back(cat("--", row.name));
  }
  return names;
}

// Typed and configured, in this order.
std::vector<GivenFlag> all_given(const std::vector<GivenFlag>& typed,
                                 const std::vector<Setting>& defaults) {
  std::vector<GivenFlag> all = typed;
  const std::vector<GivenFlag> configured = flags_of(defaults);
  all.insert(all.end(), configured.begin(), configured.end());
  return all;
}

bool follows(const std::string& command, const std::vector<GivenFlag>& given) {
  return std::ranges::any_of(given, [&command](const GivenFlag& flag) {
    const auto row = row_in_effect(command, flag);
    return row && row->following == Following::starts;
  });
}

}  // namespace

Status check_follow_rules(const std::string& command, const std::vector<GivenFlag>& typed,
                          const std::vector<Setting>& defaults) {
  const auto asking = asking_options(command);
  const auto given = all_given(typed, defaults);
  if (asking.empty() || follows(command, given)) return {};
  const auto idle = std::ranges::find_if(typed, [&](const GivenFlag& flag) {
    return needs_follow(command, row_in_effect(command, flag), given);
  });
  if (idle == typed.end()) return {};
  // Slurm keeps a job off a node with this flag.
  if (idle->name == "exclude") {
    return Error{Code::usage, "--exclude leaves out lines of the log, and needs --follow",
                 "--exclude-node=NODE keeps pods off a node"};
  }
  return Error{
      Code::usage,
      cat("--", idle->name, " needs ", join(asking, " or "),
          ": otherwise nothing waits for the job's verdict"),
      asking.size() > 1 ? "add --wait, or --follow for the logs" : cat("add ", asking.front())};
}

void drop_unused_defaults(const std::string& command, const std::vector<GivenFlag>& typed,
                          std::vector<Setting>& defaults) {
  const auto given = all_given(typed, defaults);
  if (asking_options(command).empty() || follows(command, given)) return;
  std::erase_if(defaults, [&](const Setting& setting) {
    return needs_follow(command, find_row(command, setting.key), given);
  });
}

}  // namespace trainctl::options
