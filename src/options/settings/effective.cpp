// Leaves out settings that nearer ones override, and masks secrets.
#include "options/settings/effective.h"

#include <algorithm>
#include <tuple>

#include "base/text/text.h"
#include "job/manifest/secrets.h"
#include "options/table/defaults.h"
#include "options/table/presets.h"
#include "work/notify/notify.h"

namespace trainctl::options {
namespace {

bool overrides(const Setting& nearer, const Setting& setting) {
  const bool reaches = nearer.section == setting.section ||
                       (nearer.source != setting.source && concerns(nearer, setting.section));
  return nearer.key == setting.key && reaches;
}

}  // namespace

std::vector<Setting> effective(const std::vector<Setting>& settings) {
  std::vector<Setting> taken;
  for (const Setting& setting : settings) {
    const bool covered = std::ranges::any_of(
        taken, [&setting](const Setting& nearer) { return overrides(nearer, setting); });
    if (setting.preset.empty() && !covered) taken.push_back(setting);
  }
  for (const std::string& name : preset_names(settings)) {
    const auto preset = settings_of_preset(settings, name);
    taken.insert(taken.end(), preset.begin(), preset.end());
  }
  std::ranges::stable_sort(taken, [](const Setting& one, const Setting& other) {
    return std::tie(one.preset, one.section, one.key) <
           std::tie(other.preset, other.section, other.key);
  });
  return taken;
}

Json merged(const std::vector<Setting>& settings) {
  Json config = Json::object();
  for (const Setting& setting : settings) {
    Json& top = setting.preset.empty() ? config : config[k_presets][setting.preset];
    Json& place = setting.section.empty() ? top : top[setting.section];
    place[setting.key] = shown_value(setting);
  }
  return config;
}

Json written_value(const ConfigKey& facts, const std::vector<std::string>& values) {
  const auto one = [&facts](const std::string& text) -> Json {
    if (facts.value_name.empty() && (text == "true" || text == "false")) return text == "true";
    const bool number = !text.empty() && text.size() < 10 &&
                        text.find_first_not_of("0123456789") == std::string::npos &&
                        (text == "0" || text[0] != '0');
    return number ? Json(std::stol(text)) : Json(text);
  };
  if (!facts.repeatable) return one(values.back());
  Json list = Json::array();
  for (const std::string& text : values) list.push_back(one(text));
  return list;
}

std::vector<std::string> shown_words(const Setting& setting) {
  if (setting.facts.row.place == Place::secret) return {std::string(job::k_left_out)};
  // VAR=SECRET:KEY says where a value is.
  if (setting.facts.value_name.starts_with("VAR=")) return setting.values;
  std::vector<std::string> shown;
  for (const std::string& value : setting.values) {
    const bool is_target = setting.key == "notify";
    shown.push_back(job::text_without_secrets(is_target ? work::shown_target(value) : value));
  }
  return shown;
}

Json shown_value(const Setting& setting) {
  return written_value(setting.facts, shown_words(setting));
}

}  // namespace trainctl::options
