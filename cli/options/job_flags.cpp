// Maps rows to options, and typed options back to rows.
#include "cli/options/job_flags.h"

#include <algorithm>
#include <set>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/options/flags.h"
#include "job/operator/operated_job.h"
#include "options/table/job_flag_names.h"

namespace trainctl::cli {
namespace {

bool applies(const job::Flag& flag, const job::Kind* kind) {
  return kind == nullptr || job::applies_to(flag, *kind);
}

// The words that may be flags, without a value behind "=": "--gpu", "-g1". A value among them
// defines too much at worst.
std::vector<std::string> given_flags(const options::Typed& typed) {
  std::vector<std::string> words;
  for (const auto* given : {&typed.args, &typed.configured}) {
    for (const std::string& word : *given) {
      if (word.starts_with('-')) words.push_back(split_once(word, '=').first);
    }
  }
  return words;
}

// True for "--gpu", and for "-g", "-g1" and other letters before it in one word.
bool names(const std::vector<std::string>& words, const job::Flag& flag) {
  return std::ranges::any_of(words, [&flag](std::string_view word) {
    if (word.starts_with("--")) return word.substr(2) == flag.name;
    return flag.letter != 0 && word.find(flag.letter) != word.npos;
  });
}

}  // namespace

JobFlags::Reader JobFlags::define(const Definition& definition, const job::Kind* kind) {
  std::shared_ptr<JobFlags> flags(new JobFlags(definition.app));
  const std::vector<std::string> words = given_flags(definition.typed);
  const auto defined = definition.typed.defined;
  for (const job::Flag& flag : job::flags()) {
    const bool is_defined = defined != options::Typed::Defined::named || names(words, flag);
    if (is_defined && applies(flag, kind)) flags->add(definition.app, flag, "");
  }
  if (defined == options::Typed::Defined::each_role) {
    flags->add_every(definition.app, kind);
  } else {
    flags->add_named(definition.app, words, kind);
  }
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
  if (flag.hidden || !flag.instead.empty()) option->group("");
  if (flag.value_name.empty()) {
    option->expected(0)->take_last();
  } else {
    option->expected(1, CLI::detail::expected_max_vector_size)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  entries_.push_back({option, &flag, role});
}

void JobFlags::add_named(CLI::App& app, const std::vector<std::string>& words,
                         const job::Kind* kind) {
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    const options::JobFlagName name = options::find_job_flag(word.substr(2), kind);
    if (!name.role.empty() && applies(*name.flag, kind)) add(app, *name.flag, name.role);
  }
}

void JobFlags::add_every(CLI::App& app, const job::Kind* kind) {
  for (const job::Flag& flag : job::flags()) {
    if (!job::per_role(flag) || !applies(flag, kind)) continue;
    for (const std::string& role : options::role_prefixes(kind)) add(app, flag, role);
  }
}

Result<std::vector<job::FlagUse>> JobFlags::uses(const job::Kind& kind) const {
  std::vector<job::FlagUse> uses;
  std::set<const CLI::Option*> seen;
  for (const CLI::Option* option : app_.parse_order()) {
    if (!seen.insert(option).second) continue;
    const auto entry =
        std::ranges::find_if(entries_, [option](const Entry& e) { return e.option == option; });
    if (entry == entries_.end()) continue;
    const job::Flag& flag = *entry->flag;
    const std::string spelled = "--" + option->get_lnames().front();
    if (!flag.instead.empty()) {
      return Error{Code::usage, cat(spelled, " has no meaning outside Run:ai"),
                   cat("instead: ", flag.instead)};
    }
    const job::Role* role = entry->role.empty() ? nullptr : job::find_role(kind, entry->role);
    if (!job::applies_to(flag, kind) || (role == nullptr && !entry->role.empty())) {
      const bool has_command = job::find_operated_kind(kind) != nullptr;
      return Error{Code::usage, cat("a ", kind.resource.kind, " has no ", spelled),
                   has_command ? cat("trainctl submit-", kind.alias, " --help-all lists its flags")
                               : "write it into the manifest, or into the runtime that it names"};
    }
    job::FlagUse use{&flag, role, option->results()};
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
