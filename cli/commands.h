// The one list of the commands' definitions. Their texts are in options/table/commands.cpp.
#pragma once

#include "cli/command.h"
#include "options/table/choices.h"

namespace trainctl::work {
struct ApiChoice;
struct Manifest;
struct ManifestSource;
}  // namespace trainctl::work

namespace trainctl::cli {

// The table of commands; the program makes it once.
CommandTable command_table();

// The commands and their definitions, each in its own file; NAME and the definition's name.
#define TRAINCTL_COMMANDS(COMMAND)                 \
  COMMAND("submit", define_submit)                 \
  COMMAND("rerun", define_rerun)                   \
  COMMAND("dev", define_dev)                       \
  COMMAND("check", define_check)                   \
  COMMAND("template", define_template)             \
  COMMAND("convert", define_convert)               \
  COMMAND("runtimes", define_runtimes)             \
  COMMAND("get", define_get)                       \
  COMMAND("top", define_top)                       \
  COMMAND("describe", define_describe)             \
  COMMAND("why", define_why)                       \
  COMMAND("report", define_report)                 \
  COMMAND("doctor", define_doctor)                 \
  COMMAND("support-bundle", define_support_bundle) \
  COMMAND("events", define_events)                 \
  COMMAND("env", define_env)                       \
  COMMAND("logs", define_logs)                     \
  COMMAND("wait", define_wait)                     \
  COMMAND("history", define_history)               \
  COMMAND("grep", define_grep)                     \
  COMMAND("compare", define_compare)               \
  COMMAND("plot", define_plot)                     \
  COMMAND("exec", define_exec)                     \
  COMMAND("attach", define_attach)                 \
  COMMAND("cp", define_cp)                         \
  COMMAND("fetch", define_fetch)                   \
  COMMAND("port-forward", define_port_forward)     \
  COMMAND("delete", define_delete)                 \
  COMMAND("suspend", define_suspend)               \
  COMMAND("stop", define_stop)                     \
  COMMAND("resume", define_resume)                 \
  COMMAND("scale", define_scale)                   \
  COMMAND("local", define_local)                   \
  COMMAND("config", define_config)                 \
  COMMAND("whoami", define_whoami)                 \
  COMMAND("rbac", define_rbac)                     \
  COMMAND("mcp", define_mcp)                       \
  COMMAND("skill", define_skill)                   \
  COMMAND("completion", define_completion)         \
  COMMAND("version", define_version)               \
  COMMAND("help", define_help)                     \
  COMMAND("__complete", define_complete)           \
  COMMAND("__man", define_man)                     \
  COMMAND("__markdown", define_markdown)

#define TRAINCTL_DECLARE(name, define) Runner define(const Definition& definition);
TRAINCTL_COMMANDS(TRAINCTL_DECLARE)
#undef TRAINCTL_DECLARE
Runner define_submit_kind(const Definition& definition);  // submit-pytorch, submit-tf, …

// The probe that `doctor` offers to other commands.
ProcessProbe process_probe();
// The page of --report that `report` offers to them.
PageMaker page_maker();

// Prints, as `check` does, what would keep a job from running if it were submitted; text or JSON.
// Returns an error when something is certain to fail.
Status print_check(Context& context, const work::ManifestSource& source,
                   const work::ApiChoice& typed, work::IfExists if_exists, options::Format output,
                   bool allow_unchecked);
// Prints, as `env` does, the environment that a job would get if it were submitted; text or JSON.
Status print_environment(Context& context, work::Manifest manifest, const std::string& replica,
                         options::Format output);
// Converts a job to a TrainJob before it is submitted, as `convert` does, and prints that: JSON, or
// YAML for every other format.
Status print_conversion(Context& context, const work::Manifest& manifest, options::Format output);

}  // namespace trainctl::cli
