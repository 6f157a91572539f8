// Maps rows to options, and typed options back to rows.
#include "cli/options/job_flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/options/bind.h"
#include "manifest/operator/operated_job.h"
#include "options/table/rows.h"

namespace trainctl::cli {
namespace {

bool applies(const job::Flag& flag, const job::Kind* kind) {
  return kind == nullptr || job::applies_to(flag, *kind);
}

}  // namespace

JobFlags::Reader JobFlags::define(const Definition& definition, const job::Kind* kind) {
  std::shared_ptr<JobFlags> flags(new JobFlags(definition.app));
  CLI::App& app = definition.app;
  const auto defined = definition.typed.defined;
  for (const job::Flag& flag : job::flags()) {
    // A letter must be taken before an option of every command takes it.
    const bool is_defined = defined != options::Typed::Defined::named || flag.letter != 0;
    if (is_defined && applies(flag, kind)) flags->add(app, flag, "");
  }
  if (defined == options::Typed::Defined::each_role) flags->add_every(app, kind);
  definition.define_flag = [flags, &app, kind](const std::string& name) {
    flags->add_named(app, name, kind);
  };
  return [flags](const job::Kind& of) { return flags->uses(of); };
}

void JobFlags::add(CLI::App& app, const job::Flag& flag, const std::string& role) {
  std::string names = role.empty() ? cat("--", flag.name) : cat("--", role, "-", flag.name);
  if (app.get_option_no_throw(names) != nullptr) return;
  if (flag.letter != 0 && role.empty()) names = cat("-", flag.letter, ",", names);

  auto* option = app.add_option(
      names, [](const CLI::results_t&) { return true; },
      role.empty() ? std::string(flag.help) : cat(flag.help, ", for ", role, " replicas"));
  option->allow_extra_args(false)->type_name(std::string(flag.value_name));
  option->group(role.empty() ? std::string(flag.group) : std::string(k_group_one_role));
  if (flag.common == job::k_not_shown || !flag.instead.empty()) option->group("");
  if (flag.value_name.empty()) {
    option->expected(0)->take_last();
  } else {
    option->expected(1, CLI::detail::expected_max_vector_size)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  entries_.push_back({option, &flag, role});
}

void JobFlags::add_named(CLI::App& app, const std::string& name, const job::Kind* kind) {
  const options::JobFlagName found = options::find_job_flag(name, kind);
  if (found.flag != nullptr && applies(*found.flag, kind)) add(app, *found.flag, found.role);
}

void JobFlags::add_every(CLI::App& app, const job::Kind* kind) {
  for (const job::Flag& flag : job::flags()) {
    if (!job::per_role(flag) || !applies(flag, kind)) continue;
    for (const std::string& role : options::role_prefixes(kind)) add(app, flag, role);
  }
}

std::vector<const JobFlags::Entry*> JobFlags::given() const {
  std::vector<const Entry*> given;
  for (const Entry& entry : entries_) {
    if (entry.option->count() > 0) given.push_back(&entry);
  }
  const std::vector<CLI::Option*>& typed = app_.parse_order();
  std::ranges::stable_sort(given, {}, [&typed](const Entry* entry) {
    const auto place = std::ranges::find(typed, entry->option);
    return place == typed.end() ? -1 : place - typed.begin();
  });
  return given;
}

Result<std::vector<job::FlagUse>> JobFlags::uses(const job::Kind& kind) const {
  std::vector<job::FlagUse> uses;
  for (const Entry* entry : given()) {
    const job::Flag& flag = *entry->flag;
    const std::string spelled = "--" + entry->option->get_lnames().front();
    if (!flag.instead.empty()) {
      return Error{Code::usage, cat(spelled, " has no meaning outside Run:ai"),
                   cat("instead: ", flag.instead)};
    }
    const job::Role* role = entry->role.empty() ? nullptr : job::find_role(kind, entry->role);
    if (!job::applies_to(flag, kind) || (role == nullptr && !entry->role.empty())) {
      const bool has_command = kind.operated != nullptr;
      return Error{Code::usage, cat("a ", kind.resource.kind, " has no ", spelled),
                   has_command ? cat("trainctl submit-", kind.alias, " --help-all lists its flags")
                               : "write it into the manifest, or into the runtime that it names"};
    }
    job::FlagUse use{&flag, role, entry->option->results()};
    if (flag.value_name.empty()) {
      const std::string value = use.values.back();
      if (value != "true" && value != "false") {
        return Error{Code::usage, cat(spelled, ": `", value, "` is not true or false"), ""};
      }
      use.values = {value};
    } else if (!flag.repeatable) {
      use.values = {use.values.back()};
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace trainctl::cli
