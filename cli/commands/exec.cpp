// `trainctl exec`: runs a command in a replica's container, or in all replicas.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "manifest/flags/patch.h"
#include "work/session/exec_all.h"
#include "work/session/session.h"

namespace trainctl::cli {
namespace {

struct ExecOptions {
  TargetFlags which;
  bool input = false;
  bool terminal = false;
  bool all = false;
};

Status check_exec(const ExecOptions& options, const std::vector<std::string>& command) {
  if (command.empty()) {
    return Error{Code::usage, "no command given",
                 cat("trainctl exec -it ", options.which.jobs.front(), " -- sh")};
  }
  for (const std::string& word : command) {
    if (const std::string fault = job::text_fault(word); !fault.empty()) {
      return Error{Code::usage, cat("an argument after -- ", fault), ""};
    }
  }
  if (!options.all) return {};
  if (options.input || options.terminal) {
    return Error{Code::usage,
                 "--all runs the command in several replicas, which cannot share one stdin",
                 "leave out -i and -t, or name one replica"};
  }
  if (options.which.rank.empty()) return {};
  return Error{Code::usage, "--all and --rank each choose the replicas", "give one of them"};
}

Status run_exec(const ExecOptions& options, const std::vector<std::string>& command,
                Context& context) {
  TRY(check_exec(options, command));
  if (options.all) {
    TRY_ASSIGN(const work::TargetQuery query, options.which.query());
    TRY_ASSIGN(const auto targets, work::find_targets(context, query));
    return work::run_everywhere(context, targets, command);
  }
  TRY_ASSIGN(const work::TargetQuery query, options.which.query());
  TRY_ASSIGN(const work::Target target, work::find_target(context, query));
  kube::RemoteQuery process = target.query();
  process.command = command;
  process.input = options.input;
  process.terminal = options.terminal && context.console.in_is_tty;
  if (options.terminal && !process.terminal) {
    context.console.warn("stdin is not a terminal, so -t has no effect");
  }
  return work::run_session(context, process, process.terminal);
}

}  // namespace

Runner define_exec(const Definition& definition) {
  auto options = std::make_shared<ExecOptions>();
  const OptionBinder bind(definition.app, definition.name);
  add_target_job(bind, options->which);
  add_target_flags(bind, options->which);
  bind("all", options->all);
  bind("stdin", options->input);
  bind("tty", options->terminal);
  return [options, words = definition.typed.words](Context& context) {
    return run_exec(*options, words, context);
  };
}

}  // namespace trainctl::cli
