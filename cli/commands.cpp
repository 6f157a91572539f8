// Adds the definitions to the table of commands.
#include "cli/commands.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/text/text.h"
#include "options/table/defaults.h"

namespace trainctl::cli {
namespace {

struct Defined {
  std::string_view name;
  Definer define;
};

constexpr Defined k_definitions[] = {
    {"submit", define_submit},
    {"rerun", define_rerun},
    {"dev", define_dev},
    {"check", define_check},
    {"template", define_template},
    {"convert", define_convert},
    {"runtimes", define_runtimes},
    {"get", define_get},
    {"top", define_top},
    {"describe", define_describe},
    {"why", define_why},
    {"report", define_report},
    {"doctor", define_doctor},
    {"support-bundle", define_support_bundle},
    {"events", define_events},
    {"env", define_env},
    {"logs", define_logs},
    {"wait", define_wait},
    {"history", define_history},
    {"grep", define_grep},
    {"compare", define_compare},
    {"plot", define_plot},
    {"exec", define_exec},
    {"attach", define_attach},
    {"cp", define_cp},
    {"fetch", define_fetch},
    {"port-forward", define_port_forward},
    {"delete", define_delete},
    {"suspend", define_suspend},
    {"stop", define_stop},
    {"resume", define_resume},
    {"scale", define_scale},
    {"local", define_local},
    {"config", define_config},
    {"whoami", define_whoami},
    {"rbac", define_rbac},
    {"mcp", define_mcp},
    {"skill", define_skill},
    {"completion", define_completion},
    {"version", define_version},
    {"help", define_help},
    {"__complete", define_complete},
    {"__man", define_man},
    {"__markdown", define_markdown},
};

Definer definition_of(const std::string& name) {
  const auto found = std::ranges::find(k_definitions, name, &Defined::name);
  if (found != std::end(k_definitions)) return found->define;
  if (!options::reads_submit_keys(name)) throw std::logic_error(cat("nothing defines ", name));
  return define_submit_kind;
}

}  // namespace

CommandTable command_table() {
  std::vector<Command> all;
  for (options::CommandRow& row : options::command_table()) {
    const Definer define = definition_of(row.name);
    all.push_back({std::move(row), define});
  }
  return CommandTable(std::move(all));
}

}  // namespace trainctl::cli
