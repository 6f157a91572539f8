// `trainctl doctor`: what the processes of a silent job wait for, all replicas on one screen.
#include <memory>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "doctor/diagnosis.h"
#include "doctor/probe_processes.h"
#include "doctor/stack_report.h"
#include "follow/gpu_watch.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_largest_tool = std::size_t{64} << 20;

struct DoctorOptions {
  TargetFlags which;
  std::string save, py_spy;
  bool signal = false;
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

Result<std::optional<work::StackTool>> stack_tool(const std::string& path, Context& context) {
  if (path.empty()) return std::optional<work::StackTool>();
  const std::string place =
      path.starts_with('/') ? path : cat(context.working_directory(), "/", path);
  const auto wrong = [&path](std::string_view what) {
    return Error{Code::usage, cat("--py-spy: ", printable_line(path), " ", what),
                 "pip download py-spy fetches a wheel, a zip archive with the program in it"};
  };
  std::optional<OpenedFile> file = context.files.open_once(place);
  if (!file) return wrong("does not exist");
  if (!file->facts.is_regular) return wrong("is not a regular file");
  if (file->facts.size > k_largest_tool) return wrong("is larger than 64 MiB");
  if (!file->content) return wrong("cannot be read");
  if (file->content->empty()) return wrong("is empty");
  return std::optional(work::StackTool{place, *std::move(file->content)});
}

Status run_doctor(const DoctorOptions& options, Context& context) {
  TRY_ASSIGN(const work::TargetQuery query, options.which.query());
  TRY_ASSIGN(const std::optional<work::StackTool> tool, stack_tool(options.py_spy, context));
  TRY_ASSIGN(work::InsideLook look, work::probe_processes(context, query, tool));
  if (options.signal) TRY(work::ask_for_stacks(context, look));
  TRY(work::read_dumps(context, look));
  if (!options.save.empty()) TRY(save_answers(options.save, look, context));
  const job::Diagnosis diagnosis = job::diagnose(look.members);
  if (diagnosis.situation == job::Situation::not_seen) return work::unseen(look);
  if (options.output != options::Format::text) {
    return print_data(context, options.output, view::inside_report(look, diagnosis));
  }
  return context.console.out(view::inside_screen(look, diagnosis, viewer_of(context)));
}

// A busy GPU of several ranks may only wait for its peers.
std::string work_words(const work::InsideLook& look) {
  std::string words = job::computing_words(look.members);
  const bool is_alone = look.members.size() == 1;
  if (!words.empty() || !is_alone || !job::tells_of_busy_gpus(look.gpus)) return words;
  return cat(job::member_name(look.members.front()), " uses its GPUs (", look.gpus, ")");
}

// Looks with what following knows of the job, so that no request precedes the probes.
job::LookInside look_while_following(Context& context, const job::Kind& kind,
                                     const std::string& container) {
  return [&context, &kind, container](const Json& object, std::span<const Json> pods,
                                      Duration longest, auto on_end) {
    const auto show = [&context, on_end](const work::InsideLook& look) {
      const job::Diagnosis diagnosis = job::diagnose(look.members);
      if (diagnosis.situation == job::Situation::not_seen) return on_end(work::unseen(look));
      on_end(job::ProbeReport{view::inside_screen(look, diagnosis, viewer_of(context)),
                              view::bounded_inside_report(look, diagnosis), work_words(look)});
    };
    return work::start_look(context, {{&kind, object, ""}, {pods.begin(), pods.end()}}, container,
                            longest, show);
  };
}

Result<Json> report_probe(Context& context, const work::FoundPods& found) {
  TRY_ASSIGN(const work::InsideLook look, work::probe_processes(context, found, ""));
  const job::Diagnosis diagnosis = job::diagnose(look.members);
  if (diagnosis.situation == job::Situation::not_seen && look.first_error) return *look.first_error;
  return view::inside_report(look, diagnosis);
}

}  // namespace

ProcessProbe process_probe() {
  return {look_while_following, report_probe};
}

Runner define_doctor(const Definition& definition) {
  auto options = std::make_shared<DoctorOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA]", options->which.jobs, 1, 1,
                  "job, replica of a job, or pod; all replicas if none is named");
  add_target_flags(bind, options->which);
  bind("output", options->output);
  bind("save", options->save);
  bind("py-spy", options->py_spy);
  bind("signal", options->signal);
  return [options](Context& context) { return run_doctor(*options, context); };
}

}  // namespace trainctl::cli
