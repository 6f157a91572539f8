// `trainctl history [RUN]`: the runs that were submitted or followed from this machine.
#include <algorithm>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "history/find_run.h"
#include "history/gpu_hours.h"
#include "history/run_report.h"
#include "history/run_table.h"
#include "options/table/choices.h"

namespace trainctl::cli {
namespace {

struct HistoryOptions {
  std::vector<std::string> runs;
  std::optional<long> limit;
  std::optional<Duration> since;
  options::Format output = options::Format::text;
  bool no_headers = false;
  bool gpu_hours = false;
  std::string by;
  std::vector<Code> verdicts;
};

std::vector<std::string> words_of(const std::vector<Code>& verdicts) {
  std::vector<std::string> words;
  for (const Code verdict : verdicts) words.emplace_back(exit_word(verdict));
  return words;
}

Status check_history(const HistoryOptions& options) {
  if (options.output == options::Format::manifest && options.runs.empty()) {
    return Error{Code::usage, "-o manifest prints the manifest of one run",
                 "name it: trainctl history 12 -o manifest"};
  }
  if (!options.gpu_hours && !options.by.empty()) {
    return Error{Code::usage, "--by groups GPU hours, and nothing asks for these",
                 cat("trainctl history --gpu-hours --by ", shell_quoted(options.by))};
  }
  if (options.gpu_hours && !options.runs.empty()) {
    return Error{Code::usage, "--gpu-hours sums all runs, and one is named",
                 "the sum of each name: trainctl history --gpu-hours --by name"};
  }
  return {};
}

std::string no_runs(const HistoryOptions& options) {
  if (options.verdicts.empty() && !options.since) {
    return "no runs yet; submit, logs -f and wait record them";
  }
  const std::string verdicts = join(words_of(options.verdicts), " or ");
  return cat("no run", options.since ? cat(" of the last ", format_age(*options.since)) : "",
             verdicts.empty() ? "" : " ", verdicts);
}

// Keeps the runs that the flags choose, of those listed with the newest first.
void keep_chosen(const HistoryOptions& options, Time now, std::vector<work::PastRun>& runs) {
  if (options.since) {
    std::erase_if(runs, [&](const work::PastRun& run) {
      return !run.submitted || now - *run.submitted > *options.since;
    });
  }
  if (options.limit) runs.resize(std::min(runs.size(), static_cast<std::size_t>(*options.limit)));
}

Result<std::vector<work::PastRun>> chosen_runs(const HistoryOptions& options, Context& context,
                                               bool with_manifests) {
  TRY_ASSIGN(work::PastRuns * history, work::history_of(context));
  // The flag --since leaves out more than the limit may count.
  const auto limit = options.since ? 0 : static_cast<std::size_t>(options.limit.value_or(0));
  TRY_ASSIGN(auto runs, history->list({context.named_ns(), "", limit, words_of(options.verdicts),
                                       with_manifests}));
  keep_chosen(options, context.loop.now(), runs);
  return runs;
}

// A terminal gets the newest runs of a long history, so that they are not scrolled out of sight.
std::size_t fitting(const HistoryOptions& options, Console& console, std::size_t count) {
  if (!console.out_is_tty || options.limit) return count;
  constexpr int k_other_lines = 3;  // heading, notice and prompt
  const auto room = static_cast<std::size_t>(std::max(console.size().height - k_other_lines, 1));
  return count <= room + 1 ? count : room;
}

Status print_list(const HistoryOptions& options, Context& context,
                  std::vector<work::PastRun> runs) {
  if (options.output != options::Format::text) {
    return print_data(context, options.output, work::run_report_list(runs));
  }
  if (runs.empty()) {
    context.console.notice(no_runs(options));
    return {};
  }
  const std::size_t count = runs.size();
  runs.resize(fitting(options, context.console, count));
  TRY(context.console.out(
      view::run_table(runs, context.loop.now(), context.console, !options.no_headers)));
  if (runs.size() == count) return {};
  const auto older = static_cast<long>(count - runs.size());
  context.console.notice(cat("… ", plural(older, "older run"), ": --limit ", count, " shows all"));
  return {};
}

Status list(const HistoryOptions& options, Context& context) {
  TRY_ASSIGN(auto runs, chosen_runs(options, context, false));
  return print_list(options, context, std::move(runs));
}

std::string heading_of(const work::GpuHoursKey& key) {
  using By = work::GpuHoursKey::By;
  switch (key.by) {
    case By::user:
      return "USER";
    case By::name:
      return "NAME";
    case By::kind:
      return "KIND";
    case By::label:
      return printable_line(key.label);
    case By::nothing:
      break;
  }
  return "";
}

Status print_gpu_hours(const HistoryOptions& options, Context& context) {
  TRY_ASSIGN(const work::GpuHoursKey key, work::parse_gpu_hours_key(options.by));
  TRY_ASSIGN(const auto runs, chosen_runs(options, context, true));
  const work::GpuHours hours = work::gpu_hours(runs, key);
  if (options.output != options::Format::text) {
    return print_data(context, options.output, work::gpu_hours_report(hours, key));
  }
  TRY(context.console.out(
      view::gpu_hours_table(hours, heading_of(key), context.console, !options.no_headers)));
  const std::string left_out = work::not_counted_words(hours);
  if (!left_out.empty()) context.console.notice(left_out);
  return {};
}

// The runs of the array of that name, where no job has it.
Status list_array(const HistoryOptions& options, Context& context, Error missing) {
  if (missing.code != Code::not_found) return missing;
  TRY_ASSIGN(work::PastRuns * history, work::history_of(context));
  const std::string& name = options.runs.front();
  auto runs = work::runs_of_array(*history, context.named_ns(), name);
  if (runs.empty()) return missing;
  if (options.output == options::Format::manifest) {
    return Error{Code::usage, cat(name, " is an array, and -o manifest prints one manifest"),
                 cat("name one of its jobs: trainctl history ", runs.back().name, " -o manifest")};
  }
  const auto words = words_of(options.verdicts);
  std::erase_if(runs, [&words](const work::PastRun& run) {
    return !words.empty() && std::ranges::find(words, run.verdict) == words.end();
  });
  keep_chosen(options, context.loop.now(), runs);
  return print_list(options, context, std::move(runs));
}

Result<std::vector<std::string>> earlier_runs(Context& context, const work::PastRun& run) {
  TRY_ASSIGN(work::PastRuns * history, work::history_of(context));
  TRY_ASSIGN(const auto namesakes, history->list({run.ns, run.name, 0}));
  std::vector<std::string> numbers;
  for (const work::PastRun& one : namesakes) {
    if (one.number < run.number) numbers.push_back(std::to_string(one.number));
  }
  return numbers;
}

Status show(const HistoryOptions& options, Context& context) {
  auto found = work::find_run(context, options.runs.front());
  if (!found) return list_array(options, context, std::move(found).error());
  const work::PastRun& run = *found;
  if (!options.verdicts.empty()) {
    return Error{Code::usage, cat("--verdict chooses among runs, and ", run.name, " is one"),
                 "the runs of a verdict: trainctl history --verdict failed"};
  }
  if (options.since) {
    return Error{Code::usage, cat("--since chooses among runs, and ", run.name, " is one"),
                 "the runs of the last days: trainctl history --since 2d"};
  }
  if (options.output == options::Format::manifest) {
    if (!run.manifest.is_null()) return print_data(context, options::Format::yaml, run.manifest);
    return Error{Code::not_found, cat("the manifest of run ", run.number, " was too long to keep"),
                 cat("trainctl history ", run.number, " shows the rest of its record")};
  }
  TRY_ASSIGN(work::PastRuns * history, work::history_of(context));
  const auto later = work::later_runs(*history, run);
  if (options.output != options::Format::text) {
    Json report = work::run_report(run);
    work::add_later_runs(report, later);
    return print_data(context, options.output, report);
  }
  TRY_ASSIGN(const auto earlier, earlier_runs(context, run));
  TRY(context.console.out(
      view::run_description(run, {earlier, later}, context.loop.now(), context.console)));
  if (!run.manifest.is_null()) {
    context.console.notice(
        cat("the run's manifest: trainctl history ", run.number, " -o manifest"));
  }
  return {};
}

Status run_history(const HistoryOptions& options, Context& context) {
  TRY(check_history(options));
  if (options.gpu_hours) return print_gpu_hours(options, context);
  return options.runs.empty() ? list(options, context) : show(options, context);
}

}  // namespace

Runner define_history(const Definition& definition) {
  auto options = std::make_shared<HistoryOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "RUN", options->runs, 0, 1,
                  "number of a run, name of a job for its newest run, or of an array "
                  "(default: list all)");
  refuse_below_one(bind("limit", options->limit));
  bind("since", options->since);
  bind("verdict", options->verdicts);
  bind("output", options->output);
  bind("no-headers", options->no_headers);
  bind("gpu-hours", options->gpu_hours);
  bind("by", options->by);
  return [options](Context& context) { return run_history(*options, context); };
}

}  // namespace trainctl::cli
