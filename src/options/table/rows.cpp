// Look-ups in the tables of options and of job flags.
#include "options/table/rows.h"

#include <algorithm>

#include "base/text/text.h"
#include "options/table/option_rows.h"

namespace trainctl::options {

std::vector<std::string> role_prefixes(const job::Kind* kind) {
  std::vector<std::string> prefixes;
  for (const job::Kind& each : job::operator_kinds()) {
    if (kind != nullptr && kind != &each) continue;
    for (const job::Role& role : each.roles) {
      if (std::ranges::find(prefixes, role.prefix) == prefixes.end()) {
        prefixes.emplace_back(role.prefix);
      }
    }
  }
  return prefixes;
}

JobFlagName find_job_flag(const std::string& name, const job::Kind* kind) {
  if (const job::Flag* flag = job::find_flag(name)) return {flag, ""};
  for (const std::string& role : role_prefixes(kind)) {
    if (!name.starts_with(role + "-")) continue;
    const job::Flag* flag = job::find_flag(name.substr(role.size() + 1));
    if (flag != nullptr && job::per_role(*flag)) return {flag, role};
  }
  return {};
}

std::string kinds_with_flag(const std::string& flag) {
  const job::Flag* row = flag.starts_with("--") ? job::find_flag(flag.substr(2)) : nullptr;
  if (row == nullptr || row->kinds.empty()) return "";
  std::vector<std::string> names;
  for (const job::Kind& kind : job::operator_kinds()) {
    if (job::applies_to(*row, kind)) names.push_back(cat("submit-", kind.alias));
  }
  return join(names, ", ");
}

namespace {

using Text = std::string_view;

Type type_of(const job::Flag& flag) {
  if (flag.value_name.empty()) return Type::toggle;
  return flag.value_name == "FILE" ? Type::path : Type::job_value;
}

bool has_option(const OptionRow& row, Text command) {
  if (is_global(row)) return true;
  const bool one_kind = command.empty() || command.starts_with(k_submit_prefix);
  return lists(row.commands, one_kind ? "submit-KIND" : command);
}

}  // namespace

std::span<const OptionRow> option_rows() {
  return rows::k_all;
}

bool has_job_flags(std::string_view command) {
  return command.empty() || command == "submit" || command == "rerun" || command == "dev" ||
         command.starts_with(k_submit_prefix);
}

const OptionRow* find_option_row(Text command, Text option) {
  const auto found = std::ranges::find_if(option_rows(), [&](const OptionRow& row) {
    return row.name == option && has_option(row, command);
  });
  return found == option_rows().end() ? nullptr : &*found;
}

bool is_global(const OptionRow& row) {
  return row.commands == k_every_command;
}

bool lists(Text list, Text word) {
  const auto words = split(list, ' ');
  return std::ranges::find(words, word) != words.end();
}

std::optional<OptionRow> find_row(Text command, Text option) {
  const job::Flag* flag =
      has_job_flags(command) ? find_job_flag(std::string(option), nullptr).flag : nullptr;
  if (flag != nullptr) {
    return OptionRow{.name = flag->name,
                     .commands = k_renders,
                     .type = type_of(*flag),
                     .common = flag->common,
                     .gives_way_to = flag->gives_way_to,
                     .offers = flag->offers};
  }
  const OptionRow* row = find_option_row(command, option);
  return row == nullptr ? std::nullopt : std::optional<OptionRow>(*row);
}

}  // namespace trainctl::options
