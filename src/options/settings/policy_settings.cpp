// Checks where a policy is written and that its file does not break it.
#include "options/settings/policy_settings.h"

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "job/manifest/policy.h"
#include "options/table/job_flag_names.h"

namespace trainctl::options {
namespace {

// An element as one line: "cost-center", "team: [vision, speech]".
std::string element_text(const Json& element) {
  if (element.is_string()) return element.get<std::string>();
  std::vector<std::string> values;
  for (const Json& value : element.begin().value()) values.push_back(value.get<std::string>());
  return cat(element.begin().key(), ": [", join(values, ", "), ']');
}

// Says why the policy forbids a setting's value; "" = it is allowed.
std::string fault_of(const job::Policy& policy, const Setting& setting, const std::string& value) {
  if (setting.key == "code-image") return job::image_fault(policy, value);
  const job::Flag* flag = find_job_flag(setting.key, nullptr).flag;
  if (flag == nullptr) return "";
  if (flag->name == "image") return job::image_fault(policy, value);
  if (flag->name != "label") return "";
  const Halves halves = split_once(value, '=');
  return job::label_fault(policy, halves.first, halves.second);
}

Status check_own_settings(const job::Policy& policy, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    for (const std::string& value : setting.values) {
      const std::string fault = fault_of(policy, setting, value);
      if (fault.empty()) continue;
      return Error{Code::usage,
                   cat(setting.origin, ": ", setting.spelled(), " contradicts the policy: ", fault),
                   "change the value or the policy, which are in the same file"};
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Setting>> policy_settings(const Json& policy, const SettingsFile& file,
                                             const std::string& text,
                                             const std::vector<Setting>& settings) {
  if (file.source != Source::site) {
    return Error{Code::usage,
                 cat(origin_of(file, text, {k_policy}), ": only ", job::k_site_file,
                     " may have a policy: no other file can loosen or replace the site's"),
                 "take it out of this file"};
  }
  TRY_ASSIGN(const job::Policy read, job::read_policy(policy, {file.path, text}));
  TRY(check_own_settings(read, settings));
  std::vector<Setting> shown;
  for (const auto& [key, list] : policy.items()) {
    Setting setting{file.source, k_policy, key, {}, {}, origin_of(file, text, {k_policy, key})};
    setting.facts.value_name = "TEXT";
    setting.facts.repeatable = true;
    setting.facts.row =
        OptionRow{.name = "", .commands = "", .type = Type::text, .tree = Tree::never};
    for (const Json& element : list) setting.values.push_back(element_text(element));
    shown.push_back(std::move(setting));
  }
  return shown;
}

Json policy_value(const Setting& setting) {
  Json list = Json::array();
  for (const std::string& value : setting.values) {
    auto element = from_yaml(value, setting.origin);
    list.push_back(value.ends_with(']') && element ? *std::move(element) : Json(value));
  }
  return list;
}

}  // namespace trainctl::options
