#include "cli/commands/program_notices.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "cli/output/hint.h"
#include "cli/output/record_history.h"
#include "history/find_run.h"
#include "manifest/footprint.h"
#include "manifest/node_rights.h"
#include "manifest/rerun.h"
#include "manifest/secrets.h"

namespace trainctl::cli {
namespace {

// "- image a" for what only `left` has, "+ image b" for what only `right` has.
std::vector<std::string> difference(const std::vector<std::string>& left,
                                    const std::vector<std::string>& right) {
  std::vector<std::string> lines;
  const auto add_lacking = [&lines](const auto& from, const auto& in, std::string_view sign) {
    for (const std::string& word : from) {
      if (std::ranges::find(in, word) == in.end()) lines.push_back(cat("  ", sign, word));
    }
  };
  add_lacking(left, right, "- ");
  add_lacking(right, left, "+ ");
  return lines;
}

// Whichever attempt it is.
Json program_of(const job::Kind& kind, const Json& object) {
  return job::program_of_pods(kind, job::rerun_manifest(kind, object));
}

void show_difference(Context& context, const std::string& name, const work::Manifest& manifest) {
  if (!context.history) return;
  const auto newest = work::newest_run(context, {manifest.kind, name, ""});
  if (!newest || newest->origin.elsewhere) return;
  const auto run = context.history->find(newest->number);
  if (!run || !run->manifest.is_object()) return;
  const auto own = job::program_words(*manifest.kind, run->manifest);
  const auto now = job::program_words(*manifest.kind, as_history_keeps(context, manifest.object));
  const std::vector<std::string> lines = difference(own, now);
  if (lines.empty()) return;
  context.console.err(cat("your own run ", newest->number, " of that name differs:\n"));
  for (const std::string& line : lines) context.console.err(line + "\n");
}

}  // namespace

void show_program(Context& context, const std::string& name, const work::Manifest& manifest) {
  context.console.err(name.empty()
                          ? "the job runs:\n"
                          : cat(name, " was not submitted from here; another run of it is:\n"));
  for (const std::string& word : job::program_words(*manifest.kind, manifest.object)) {
    context.console.err(cat("  ", word, "\n"));
  }
  if (!name.empty()) show_difference(context, name, manifest);
}

Status agree_to_program(Context& context, const std::string& name, bool yes) {
  if (yes) return {};
  if (!can_ask(context.console)) {
    return Error{
        Code::usage,
        cat(name, " was not submitted from here, and nobody can be asked whether to run it"),
        cat("trainctl rerun ", name, " --yes runs what these lines show")};
  }
  TRY_ASSIGN(const bool agreed, consented(context.console, context.loop, context.environment,
                                          cat("Run this as ", context.user_name())));
  if (agreed) return {};
  return Error{Code::usage, cat(name, " was not run again"), ""};
}

bool tell_of_attached(Context& context, const work::FoundJob& job, const work::Manifest& line,
                      bool deletes) {
  const std::string own = job::footprint(*job.kind, job.object);
  context.console.notice(cat(job.name(), ": ", own));
  std::vector<std::string> left = job::program_words(*job.kind, job::without_secrets(job.object));
  std::vector<std::string> right =
      job::program_words(*line.kind, job::without_secrets(line.object));
  left.push_back(own);
  right.push_back(job::footprint(*line.kind, line.object));
  const std::vector<std::string> lines = difference(left, right);
  const Json running = program_of(*job.kind, job.object);
  const Json typed = program_of(*line.kind, line.object);
  const bool is_same = dump(running) == dump(typed);
  const std::string variables = join(job::changed_variables(running, typed), ", ");
  if (!lines.empty()) {
    context.console.warn(cat(job.name(), " (-) is not what this line says (+):"));
    for (const std::string& text : lines) context.console.err(text + "\n");
    if (!variables.empty()) context.console.err(cat("  other variables: ", variables, "\n"));
  } else if (!is_same) {
    const bool is_known = !variables.empty();
    context.console.warn(
        with_cluster_flags(cat(job.name(), " differs from this line",
                               is_known ? cat(" in variables: ", variables, "; see trainctl env ")
                                        : ", for example in its volumes: trainctl describe ",
                               job.name()),
                           context));
  }
  if (deletes) {
    context.console.notice(cat(job.name(), " existed before, so this command will not delete it"));
  }
  return is_same;
}

Status check_without_rights(const work::Manifest& manifest) {
  std::vector<std::string> rights = job::node_rights(manifest.object);
  for (const job::DependentObject& companion : manifest.companions) {
    for (std::string& right : job::node_rights(companion.object))
      rights.push_back(std::move(right));
  }
  if (rights.empty()) return {};
  return Error{Code::usage,
               cat("the job has rights that an agent may not ask for: ", join(rights, ", ")),
               "ask the user to submit it"};
}

}  // namespace trainctl::cli
