// One definition per command, each in its own file; the table in commands.cpp names them.
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

Runner define_submit_kind(const Definition& definition);
Runner define_submit(const Definition& definition);
Runner define_rerun(const Definition& definition);
Runner define_dev(const Definition& definition);
Runner define_get(const Definition& definition);
Runner define_top(const Definition& definition);
Runner define_describe(const Definition& definition);
Runner define_why(const Definition& definition);
Runner define_report(const Definition& definition);
Runner define_doctor(const Definition& definition);
Runner define_support_bundle(const Definition& definition);
Runner define_events(const Definition& definition);
Runner define_check(const Definition& definition);
Runner define_env(const Definition& definition);
Runner define_convert(const Definition& definition);
Runner define_runtimes(const Definition& definition);
Runner define_logs(const Definition& definition);
Runner define_exec(const Definition& definition);
Runner define_attach(const Definition& definition);
Runner define_cp(const Definition& definition);
Runner define_fetch(const Definition& definition);
Runner define_port_forward(const Definition& definition);
Runner define_wait(const Definition& definition);
Runner define_grep(const Definition& definition);
Runner define_history(const Definition& definition);
Runner define_compare(const Definition& definition);
Runner define_plot(const Definition& definition);
Runner define_delete(const Definition& definition);
Runner define_suspend(const Definition& definition);
Runner define_stop(const Definition& definition);
Runner define_resume(const Definition& definition);
Runner define_scale(const Definition& definition);
Runner define_template(const Definition& definition);
Runner define_local(const Definition& definition);
Runner define_config(const Definition& definition);
Runner define_rbac(const Definition& definition);
Runner define_mcp(const Definition& definition);
Runner define_skill(const Definition& definition);
Runner define_whoami(const Definition& definition);
Runner define_version(const Definition& definition);
Runner define_completion(const Definition& definition);
Runner define_help(const Definition& definition);
Runner define_complete(const Definition& definition);
Runner define_man(const Definition& definition);
Runner define_markdown(const Definition& definition);

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
