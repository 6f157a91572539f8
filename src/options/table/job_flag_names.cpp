// Splits a role's prefix from the name of a flag.
#include "options/table/job_flag_names.h"

#include <algorithm>

#include "base/text/text.h"

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

}  // namespace trainctl::options
