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

bool has(const std::optional<OptionRow>& row, Staying staying) {
  return row && row->stays.staying == staying;
}

// True when another flag gives the option a meaning in a command that does not stay.
bool is_meant(const OptionRow& row, const std::vector<GivenFlag>& given) {
  return std::ranges::any_of(given, [&row](const GivenFlag& flag) {
    return cat(flag.name, '=', flag.value) == row.stays.meant_by;
  });
}

// The flags that make the command stay, "--follow" and "--wait"; empty when it always stays, or
// never.
std::vector<std::string> asking_options(const std::string& command) {
  std::vector<std::string> names;
  for (const OptionRow& row : following_rows()) {
    const bool is_of_command = find_option_row(command, row.name) == &row;
    if (is_of_command && row.stays.staying == Staying::asks) names.push_back(cat("--", row.name));
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

bool stays(const std::string& command, const std::vector<GivenFlag>& given) {
  return std::ranges::any_of(given, [&command](const GivenFlag& flag) {
    return has(row_in_effect(command, flag), Staying::asks);
  });
}

}  // namespace

Status check_staying(const std::string& command, const std::vector<GivenFlag>& typed,
                     const std::vector<Setting>& defaults) {
  const auto asking = asking_options(command);
  const auto given = all_given(typed, defaults);
  if (asking.empty() || stays(command, given)) return {};
  const auto idle = std::ranges::find_if(typed, [&](const GivenFlag& flag) {
    const auto row = row_in_effect(command, flag);
    return has(row, Staying::needs) && !is_meant(*row, given);
  });
  if (idle == typed.end()) return {};
  return Error{
      Code::usage,
      cat("--", idle->name, " needs ", join(asking, " or "),
          ": otherwise nothing waits for the job's verdict"),
      asking.size() > 1 ? "add --wait, or --follow for the logs" : cat("add ", asking.front())};
}

void drop_idle(const std::string& command, const std::vector<GivenFlag>& typed,
               std::vector<Setting>& defaults) {
  const auto given = all_given(typed, defaults);
  if (asking_options(command).empty() || stays(command, given)) return;
  std::erase_if(defaults, [&](const Setting& setting) {
    const auto row = find_row(command, setting.key);
    return has(row, Staying::needs) && !is_meant(*row, given);
  });
}

}  // namespace trainctl::options
