// `trainctl grep PATTERN [RUN...]`: finds lines in the logs that the history has kept.
#include <algorithm>
#include <memory>

#include "base/file/own_file.h"
#include "base/text/pattern.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/log_printing.h"
#include "history/find_run.h"
#include "history/log_archive.h"

namespace trainctl::cli {
namespace {

struct GrepOptions {
  std::vector<std::string> words;  // the pattern, then runs
  bool ignore_case = false;
  bool timestamps = false;
  job::LogFormat output = job::LogFormat::text;
  std::optional<long> limit;
};

// A run is named by its number or by its job.
bool is_meant(const std::vector<std::string>& names, const work::PastRun& run) {
  return names.empty() || std::ranges::any_of(names, [&run](const std::string& name) {
           return name == run.name || name == std::to_string(run.number);
         });
}

// Returns whether the run's log has such a line.
Result<bool> search_run(Context& context, const GrepOptions& options, const work::PastRun& run,
                        const Pattern& pattern) {
  const job::Kind* kind = job::find_kind(run.kind);
  const std::string path = work::archived_log_path(context.environment, run.uid);
  if (kind == nullptr || path.empty()) return false;
  const auto content = read_own_file(context.files, path);
  if (!content) return false;  // no log was kept
  const std::string matching = work::matching_lines(*content, pattern);
  if (matching.empty()) return false;
  job::PrintOptions form;
  form.prefix = true;
  form.timestamps = options.timestamps;
  form.format = options.output;
  // A record's job is a name.
  form.job = form.format == job::LogFormat::json ? run.name : cat(run.number, ' ', run.name);
  TRY(print_archived_lines(context, *kind, form, {}, job::read_archived_lines(matching)));
  return true;
}

Result<Pattern> pattern_of(const GrepOptions& options) {
  const std::string& text = options.words.front();
  auto pattern =
      Pattern::make(text, options.ignore_case ? LetterCase::ignored : LetterCase::matters);
  if (pattern) return pattern;
  Error refusal = std::move(pattern).error();
  refusal.hint =
      text.empty()
          ? "trainctl grep 'loss nan'"
          : R"(put \ in front of characters that stand for themselves: trainctl grep '\(loss')";
  return refusal;
}

Status run_grep(const GrepOptions& options, Context& context) {
  TRY_ASSIGN(const Pattern pattern, pattern_of(options));
  TRY_ASSIGN(work::PastRuns * history, work::history_of(context));
  const auto limit = static_cast<std::size_t>(options.limit.value_or(0));
  TRY_ASSIGN(const auto runs, history->list({context.named_ns(), "", limit}));
  const std::vector<std::string> names(options.words.begin() + 1, options.words.end());
  for (const std::string& name : names) {
    const auto is_named = [&name](const work::PastRun& run) { return is_meant({name}, run); };
    if (options.limit || std::ranges::any_of(runs, is_named)) continue;
    return Error{Code::not_found, cat("the history has no run `", name, "`"),
                 "trainctl history lists the runs"};
  }
  bool found = false;
  for (const work::PastRun& one : runs) {
    if (!is_meant(names, one)) continue;
    TRY_ASSIGN(const bool has_some, search_run(context, options, one, pattern));
    found = found || has_some;
  }
  if (found) return {};
  return Error{Code::not_found,
               cat("no kept log has a line that matches `", options.words.front(), "`"),
               "submit --follow and logs -f keep what they print; trainctl history lists the runs"};
}

}  // namespace

Runner define_grep(const Definition& definition) {
  auto options = std::make_shared<GrepOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "PATTERN [RUN...]", options->words, 1, k_any_number,
                  "a regular expression in RE2's syntax, and runs by number or job (default: all)");
  bind("ignore-case", options->ignore_case);
  refuse_below_one(bind("limit", options->limit));
  bind("timestamps", options->timestamps);
  bind("output", options->output);
  return [options](Context& context) { return run_grep(*options, context); };
}

}  // namespace trainctl::cli
