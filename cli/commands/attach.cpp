// `trainctl attach`: shows what a replica's program prints from now on, and sends it keys.
#include <memory>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/hint.h"
#include "work/session/session.h"

namespace trainctl::cli {
namespace {

struct AttachOptions {
  TargetFlags which;
  bool input = false;
  bool terminal = false;
};

Status run_attach(const AttachOptions& options, Context& context) {
  TRY_ASSIGN(const work::TargetQuery query, options.which.query());
  TRY_ASSIGN(const work::Target target, work::find_target(context, query));
  kube::RemoteQuery process = target.query();
  process.input = options.input && target.has_input;
  if (options.input && !target.has_input) {
    context.console.warn(
        cat("the program in ", target.replica, " was started without stdin, so -i has no effect"));
  }
  // The embedded cluster gives no program a terminal.
  process.terminal = target.has_terminal && !context.embedded;
  if (options.terminal && !process.terminal) {
    context.console.warn(cat("the program in ", target.replica,
                             " was started without a terminal, so -t has no effect"));
  }
  // The job gives its program a terminal; only the user lends it this one.
  const bool hands_over = process.terminal && options.terminal && context.console.in_is_tty;
  if (Status ended = work::run_session(context, process, hands_over); !ended) {
    Error error = std::move(ended).error();
    if (ending_signal(error.code) != nullptr) {
      error.hint =
          cat("the program in ", target.replica, " goes on: trainctl logs -f ", target.job);
    }
    return error;
  }
  // The API server reports no more than the end of the output.
  const std::string why = with_cluster_flags(cat("trainctl why ", target.job), context);
  context.console.notice(cat("the program in ", target.replica,
                             " has ended, or its pod is gone: ", why, " shows the job's state"));
  return {};
}

}  // namespace

Runner define_attach(const Definition& definition) {
  auto options = std::make_shared<AttachOptions>();
  const OptionBinder bind(definition.app, definition.name);
  add_target_job(bind, options->which);
  add_target_flags(bind, options->which);
  bind("stdin", options->input);
  bind("tty", options->terminal);
  return [options](Context& context) { return run_attach(*options, context); };
}

}  // namespace trainctl::cli
