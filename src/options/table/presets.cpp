// Puts the settings of chosen presets in their place among all others.
#include "options/table/presets.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "options/table/defaults.h"

namespace trainctl::options {
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
