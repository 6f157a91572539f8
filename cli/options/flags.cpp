// Names the flags of each group.
#include "cli/options/flags.h"

#include <CLI/CLI.hpp>

#include "base/text/text.h"

namespace trainctl::cli {

Result<std::string> only_manifest(std::string_view command, std::vector<std::string> words,
                                  const std::vector<std::string>& files) {
  words.insert(words.end(), files.begin(), files.end());
  if (words.size() == 1) return words.front();
  const std::string start = cat("trainctl ", command);
  return Error{
      Code::usage,
      words.empty() ? "no manifest given" : cat("two manifests given: ", command, " takes one"),
      cat("write ", start, " FILE, or ", command == "submit" ? "trainctl" : start,
          " submit-pytorch …")};
}

void add_kind_flag(const OptionBinder& bind, std::string& value) {
  check_values(bind("kind", value), [](const std::string& text) {
    const auto kind = options::kind_flag(text);
    return kind ? "" : cat(kind.error().message, "; ", kind.error().hint);
  });
}

void add_log_flags(const OptionBinder& bind, options::LogFlags& flags) {
  bind("all", flags.all);
  bind("role", flags.role);
  bind("rank", flags.rank);
  bind("container", flags.container);
  bind("timestamps", flags.timestamps);
  add_prefix_flag(bind, flags);
}

void add_prefix_flag(const OptionBinder& bind, options::LogFlags& flags) {
  bind("prefix", flags.prefix);
}

void add_save_flag(const OptionBinder& bind, options::LogFlags& flags) {
  bind("save-logs", flags.save);
}

void add_wait_flags(const OptionBinder& bind, options::WaitFlags& flags) {
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
  bind("no-history", flags.history.none);
}

}  // namespace trainctl::cli
