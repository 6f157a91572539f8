// Finds flags for reports, limits and messages that exist only while a job is followed or waited
// for.
#include "cli/options/staying.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>

#include "base/text/text.h"

namespace trainctl::cli {
namespace {

struct TypedWord {
  OptionRow row;
  bool off = false;
};

std::optional<TypedWord> read_word(const std::string& command, std::string_view name,
                                   std::string_view value) {
  const auto row = find_row(command, name);
  if (!row) return std::nullopt;
  return TypedWord{*row, value == row->off};
}

std::optional<TypedWord> read_word(const std::string& command, const std::string& word) {
  const Halves parts = split_once(std::string_view(word).substr(2), '=');
  return read_word(command, parts.first, parts.second);
}

bool asks_to_stay(const std::optional<TypedWord>& word) {
  return word && word->row.stays.staying == Staying::asks && !word->off;
}

bool is_idle(const std::optional<TypedWord>& word) {
  return word && word->row.stays.staying == Staying::needs && !word->off;
}

// True when another flag gives the option a meaning in a command that does not stay.
bool is_meant(const OptionRow& row, const std::vector<std::string>& typed,
              const std::vector<Setting>& defaults) {
  if (row.stays.meant_by.empty()) return false;
  const Halves by = split_once(row.stays.meant_by, '=');
  const auto is_set = [&by](const Setting& setting) {
    return setting.key == by.first && !setting.values.empty() &&
           setting.values.front() == by.second;
  };
  return std::ranges::find(typed, cat("--", row.stays.meant_by)) != typed.end() ||
         std::ranges::any_of(defaults, is_set);
}

// The flags that make the command stay, "--follow" and "--wait"; empty when it always stays, or
// never.
std::vector<std::string> asking_options(const CLI::App& app, const std::string& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const auto row = find_row(command, option->get_lnames().front());
    if (row && row->stays.staying == Staying::asks) names.push_back(cat("--", row->name));
  }
  return names;
}

bool stays(const std::string& command, const std::vector<std::string>& typed,
           const std::vector<Setting>& defaults) {
  const auto asks = [&command](const std::string& word) {
    return asks_to_stay(read_word(command, word));
  };
  const auto configured = [&command](const Setting& setting) {
    return !setting.values.empty() &&
           asks_to_stay(read_word(command, setting.key, setting.values.front()));
  };
  return std::ranges::any_of(typed, asks) || std::ranges::any_of(defaults, configured);
}

}  // namespace

Status check_staying(const CLI::App& app, const std::string& command,
                     const std::vector<std::string>& typed, const std::vector<Setting>& defaults) {
  const auto asking = asking_options(app, command);
  if (asking.empty() || stays(command, typed, defaults)) return {};
  const auto idle = std::ranges::find_if(typed, [&](const std::string& word) {
    const auto read = read_word(command, word);
    return is_idle(read) && !is_meant(read->row, typed, defaults);
  });
  if (idle == typed.end()) return {};
  return Error{
      Code::usage,
      cat(split_once(*idle, '=').first, " needs ", join(asking, " or "),
          ": otherwise nothing waits for the job's verdict"),
      asking.size() > 1 ? "add --wait, or --follow for the logs" : cat("add ", asking.front())};
}

void drop_idle(const CLI::App& app, const std::string& command,
               const std::vector<std::string>& typed, std::vector<Setting>& defaults) {
  if (asking_options(app, command).empty() || stays(command, typed, defaults)) return;
  const std::vector<Setting> before = defaults;
  std::erase_if(defaults, [&](const Setting& setting) {
    const auto row = find_row(command, setting.key);
    return row && row->stays.staying == Staying::needs && !is_meant(*row, typed, before);
  });
}

}  // namespace trainctl::cli
