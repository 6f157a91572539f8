// Look-ups in the tables of options and of job flags.
#include "options/table/rows.h"

#include <algorithm>

#include "base/text/text.h"
#include "options/table/job_flag_names.h"
#include "options/table/setting.h"

namespace trainctl::options {
namespace {

using Text = std::string_view;

constexpr Text k_submit_prefix = "submit-";

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

std::string Setting::spelled() const {
  const std::string in_section = section.empty() ? key : cat(section, '.', key);
  return preset.empty() ? in_section : cat(k_presets, '.', preset, '.', in_section);
}

bool reads_submit_keys(const std::string& command) {
  return command.starts_with(k_submit_prefix);
}

bool has_job_flags(std::string_view command) {
  return command.empty() || command == "submit" || command == "rerun" || command == "dev" ||
         command.starts_with(k_submit_prefix);
}

const OptionRow* find_option_row(Text command, Text option) {
  for (const auto rows : {command_rows(), following_rows(), global_rows()}) {
    for (const OptionRow& row : rows) {
      if (row.name == option && has_option(row, command)) return &row;
    }
  }
  return nullptr;
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
                     .gives_way_to = flag->gives_way_to,
                     .offers = flag->offers};
  }
  const OptionRow* row = find_option_row(command, option);
  return row == nullptr ? std::nullopt : std::optional<OptionRow>(*row);
}

}  // namespace trainctl::options
