// Binds them, and reads what was given.
#include "cli/options/flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/number.h"
#include "base/text/text.h"

namespace trainctl::cli {

void add_kind_flag(const OptionBinder& bind, std::string& value) {
  check_values(bind("kind", value), [](const std::string& text) {
    const auto kind = kind_flag(text);
    return kind ? "" : cat(kind.error().message, "; ", kind.error().hint);
  });
}

Result<const job::Kind*> kind_flag(const std::string& text) {
  if (text.empty()) return static_cast<const job::Kind*>(nullptr);
  if (const job::Kind* kind = job::find_kind(text)) return kind;
  std::vector<std::string> aliases;
  for (const job::Kind* kind : job::first_versions()) aliases.emplace_back(kind->alias);
  return Error{Code::usage, cat("there is no kind `", text, "`"),
               cat("the kinds are ", join(aliases, ", "))};
}

void add_log_flags(const OptionBinder& bind, LogFlags& flags) {
  bind("all", flags.all);
  bind("role", flags.role);
  bind("rank", flags.rank);
  bind("container", flags.container);
  bind("timestamps", flags.timestamps);
  add_prefix_flag(bind, flags);
}

void add_prefix_flag(const OptionBinder& bind, LogFlags& flags) {
  bind("prefix", flags.prefix);
}

void add_save_flag(const OptionBinder& bind, LogFlags& flags) {
  bind("save-logs", flags.save);
}

job::LogChoice log_choice(const LogFlags& flags) {
  job::LogChoice choice;
  choice.selection.all = flags.all;
  choice.selection.role = flags.role;
  if (!flags.rank.empty()) choice.selection.choose_ranks(flags.rank);
  choice.selection.container = flags.container;
  choice.timestamps = flags.timestamps;
  choice.prefix = flags.prefix;
  return choice;
}

void add_wait_flags(const OptionBinder& bind, WaitFlags& flags) {
  bind("timeout", flags.timeout);
  bind("start-timeout", flags.start_timeout);
  bind("fail-fast", flags.fail_fast);
  bind("require-all-replicas", flags.require_all);
  bind("on-give-up", flags.on_give_up);
  bind("on-timeout", flags.on_give_up);
  bind("on-interrupt", flags.on_interrupt);
  bind("events", flags.events);
  bind("result-file", flags.result_file);
  bind("junit", flags.junit);
  bind("notify", flags.notify);
  bind("no-history", flags.no_history);
}

}  // namespace trainctl::cli
