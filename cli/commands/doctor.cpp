// `trainctl doctor`: what the processes of a silent job wait for, all replicas on one screen.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "job/stacks/diagnosis.h"
#include "view/stack_report.h"
#include "work/session/look_inside.h"

namespace trainctl::cli {
namespace {

struct DoctorOptions {
  TargetFlags which;
  std::string save;
  options::Format output = options::Format::text;
};

Status save_answers(const std::string& directory, const work::InsideLook& look, Context& context) {
  for (const work::RawLook& raw : look.raw) {
    TRY(context.files.write(cat(directory, "/", raw.replica, ".txt"), raw.text));
  }
  if (!look.raw.empty()) {
    context.console.notice(cat("wrote ", plural(static_cast<long>(look.raw.size()), "answer"),
                               " to ", printable_line(directory)));
  }
  return {};
}

Status run_doctor(const DoctorOptions& options, Context& context) {
  TRY_ASSIGN(const work::TargetQuery query, options.which.query());
  TRY_ASSIGN(const work::InsideLook look, work::look_inside(context, query));
  if (!options.save.empty()) TRY(save_answers(options.save, look, context));
  const job::Diagnosis diagnosis = job::diagnose(look.members);
  if (diagnosis.situation == job::Situation::not_seen) return work::unseen(look);
  if (options.output != options::Format::text) {
    return print_data(context, options.output, view::inside_report(look, diagnosis));
  }
  return context.console.out(view::inside_screen(look, diagnosis, context.console));
}

}  // namespace

Runner define_doctor(const Definition& definition) {
  auto options = std::make_shared<DoctorOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA]", options->which.jobs, 1, 1,
                  "job, replica of a job, or pod; all replicas if none is named");
  add_target_flags(bind, options->which);
  bind("output", options->output);
  bind("save", options->save);
  return [options](Context& context) { return run_doctor(*options, context); };
}

}  // namespace trainctl::cli
