// Decides which configured values apply to a command line, and which are overridden.
#include "options/table/defaults.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "options/table/job_flag_names.h"

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
  return row.place == Place::cluster || row.place == Place::secret;
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
  return (row.place == Place::embedded && names_cluster(*given.row)) ||
         (given.row->place == Place::embedded && names_cluster(row));
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

bool concerns(const Setting& setting, const std::string& command) {
  if (!setting.section.empty()) return setting.section == command;
  // What starts from a manifest has a preset's settings only where that is typed.
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

}  // namespace trainctl::options
