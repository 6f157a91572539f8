// Decides which configured values apply to a command line, and which are overridden.
#include "options/table/defaults.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text/text.h"
#include "options/table/rows.h"

namespace trainctl::options {
namespace {

// A flag that a nearer source has set.
struct Given {
  std::string name;
  std::optional<OptionRow> row;
  bool off = false;  // --follow=false, --dry-run=none: requests nothing, so it overrides nothing
};

Given given_by(const std::string& command, const std::string& name, const std::string& value) {
  Given given{name, find_row(command, name), false};
  given.off = given.row && value == given.row->off;
  return given;
}

bool names_cluster(const OptionRow& row) {
  return row.connection == ConnectionRole::cluster || row.connection == ConnectionRole::secret;
}

bool gives_way(const Setting& setting, const Given& given) {
  if (setting.key == given.name) return true;
  const JobFlagName split_key = find_job_flag(setting.key, nullptr);
  if (!split_key.role.empty() && split_key.flag->name == given.name) return true;
  if (given.off) return false;
  const OptionRow& row = setting.facts.row;
  if (lists(row.gives_way_to, given.name)) return true;
  if (!given.row) return false;
  // The embedded cluster conflicts with naming another one.
  return (row.connection == ConnectionRole::embedded && names_cluster(*given.row)) ||
         (given.row->connection == ConnectionRole::embedded && names_cluster(row));
}

bool gives_way(const Setting& setting, const std::vector<Given>& given) {
  return std::ranges::any_of(given, [&](const Given& one) { return gives_way(setting, one); });
}

bool same_place(const Setting& one, const Setting& other) {
  return one.source == other.source && one.section == other.section && one.preset == other.preset;
}

bool names_flag(const std::string& text, const std::string& key) {
  const std::string flag = "--" + key;
  for (auto at = text.find(flag); at != std::string::npos; at = text.find(flag, at + 1)) {
    const char next = at + flag.size() < text.size() ? text[at + flag.size()] : ' ';
    const bool goes_on = next == '-' || (next >= 'a' && next <= 'z');
    if (!goes_on) return true;
  }
  return false;
}

// A message may quote the value instead of naming the flag.
bool quotes_value(const std::string& text, const Setting& setting) {
  return std::ranges::any_of(setting.values, [&](const auto& value) {
    return text.find(cat('"', value, '"')) != std::string::npos;
  });
}

// The default that a usage error is about; nullptr = none.
const Setting* blamed_by(const Error& error, const std::vector<Setting>& defaults) {
  if (error.code != Code::usage) return nullptr;
  for (const std::string* text : {&error.message, &error.hint}) {
    for (const Setting& setting : defaults) {
      if (names_flag(*text, setting.key)) return &setting;
    }
  }
  for (const Setting& setting : defaults) {
    if (quotes_value(error.message, setting)) return &setting;
  }
  return nullptr;
}

}  // namespace

std::string Setting::spelled() const {
  const std::string in_section = section.empty() ? key : cat(section, '.', key);
  return preset.empty() ? in_section : cat(k_presets, '.', preset, '.', in_section);
}

bool reads_submit_keys(const std::string& command) {
  return command.starts_with(k_submit_prefix);
}

bool concerns(const Setting& setting, const std::string& command) {
  if (!setting.section.empty()) return setting.section == command;
  // A line that starts from a manifest has a preset's settings only where that is typed.
  const bool is_of_preset = !setting.preset.empty() && lists(k_submits, command);
  return is_global(setting.facts.row) || reads_submit_keys(command) || is_of_preset;
}

std::vector<Setting> defaults_for(const std::string& command, const std::vector<Setting>& settings,
                                  const std::vector<GivenFlag>& typed,
                                  const Environment& environment) {
  std::vector<Given> given;
  for (const GivenFlag& flag : typed) {
    given.push_back(given_by(command, flag.name, flag.value));
  }
  std::vector<Setting> taken;
  std::vector<Given> here;  // flags of the same source, which do not override one another
  const Setting* before = nullptr;
  for (const Setting& setting : settings) {
    if (before != nullptr && !same_place(*before, setting)) {
      given.insert(given.end(), here.begin(), here.end());
      here.clear();
    }
    before = &setting;
    if (gives_way(setting, given)) continue;
    const bool from_file = setting.source != Source::variables;
    if (setting.key == "kubeconfig" && from_file && !environment.text("KUBECONFIG").empty()) {
      continue;
    }
    here.push_back(
        given_by(command, setting.key, setting.values.empty() ? "" : setting.values.front()));
    taken.push_back(setting);
  }
  return taken;
}

std::vector<GivenFlag> flags_of(const std::vector<Setting>& defaults) {
  std::vector<GivenFlag> flags;
  for (const Setting& setting : defaults) {
    for (const std::string& value : setting.values) flags.push_back({setting.key, value});
  }
  return flags;
}

Error with_origin(Error error, const std::vector<Setting>& defaults) {
  const Setting* blamed = blamed_by(error, defaults);
  return blamed == nullptr ? error : in_context(blamed->origin, std::move(error));
}

namespace {

constexpr const char* k_flag = "preset";

// The presets of a line. `by`: the setting that names them; null when they were typed.
struct Chosen {
  std::vector<std::string> names;
  const Setting* by = nullptr;
};

void add_names(const std::string& list, std::vector<std::string>& names) {
  for (std::string& name : split(list, ',')) names.push_back(std::move(name));
}

Chosen chosen_presets(const std::vector<Setting>& settings, const std::string& command,
                      const std::vector<GivenFlag>& typed) {
  Chosen chosen;
  for (const GivenFlag& flag : typed) {
    if (flag.name == k_flag) add_names(flag.value, chosen.names);
  }
  if (!chosen.names.empty()) return chosen;
  const auto found = std::ranges::find_if(settings, [&command](const Setting& setting) {
    return setting.preset.empty() && setting.key == k_flag && concerns(setting, command);
  });
  if (found == settings.end()) return chosen;
  for (const std::string& value : found->values) add_names(value, chosen.names);
  chosen.by = &*found;
  return chosen;
}

Error unknown_preset(const std::string& name, const std::vector<Setting>& settings) {
  const auto names = preset_names(settings);
  const std::string near = nearest(name, names);
  return {Code::usage,
          cat("there is no preset `", printable_line(name), '`',
              near.empty() ? "" : cat("; did you mean ", near, "?")),
          names.empty() ? "define it in your configuration file: presets: {NAME: {gpu: 8}}"
                        : cat("presets: ", join(names, ", "),
                              "; trainctl config view --origin shows what they set")};
}

// The settings of all chosen presets, highest precedence first.
Result<std::vector<Setting>> settings_of(const Chosen& chosen,
                                         const std::vector<Setting>& settings) {
  std::vector<Setting> all;
  for (auto name = chosen.names.rbegin(); name != chosen.names.rend(); ++name) {
    if (*name == k_no_preset && chosen.names.size() == 1) break;
    const auto more = settings_of_preset(settings, *name);
    if (more.empty()) {
      Error unknown = unknown_preset(*name, settings);
      if (chosen.by == nullptr) return unknown;
      return in_context(chosen.by->origin, std::move(unknown));
    }
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

std::vector<std::string> preset_names(const std::vector<Setting>& settings) {
  std::set<std::string> names;
  for (const Setting& setting : settings) {
    if (!setting.preset.empty()) names.insert(setting.preset);
  }
  return {names.begin(), names.end()};
}

std::vector<Setting> settings_of_preset(const std::vector<Setting>& settings,
                                        const std::string& name) {
  if (name.empty()) return {};
  const auto first = std::ranges::find(settings, name, &Setting::preset);
  std::vector<Setting> found;
  for (const Setting& setting : settings) {
    if (setting.preset == name && setting.source == first->source) found.push_back(setting);
  }
  return found;
}

Result<std::vector<Setting>> with_presets(const std::vector<Setting>& settings,
                                          const std::string& command,
                                          const std::vector<GivenFlag>& typed) {
  const Chosen chosen = chosen_presets(settings, command, typed);
  TRY_ASSIGN(const auto preset, settings_of(chosen, settings));
  std::vector<Setting> ordered;
  std::size_t place = 0;
  for (const Setting& setting : settings) {
    if (!setting.preset.empty()) continue;
    ordered.push_back(setting);
    const bool comes_first = chosen.by != nullptr && setting.source <= chosen.by->source;
    if (comes_first) place = ordered.size();
  }
  ordered.insert(ordered.begin() + static_cast<std::ptrdiff_t>(place), preset.begin(),
                 preset.end());
  return ordered;
}

}  // namespace trainctl::options
