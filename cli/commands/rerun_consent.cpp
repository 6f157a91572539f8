#include "cli/commands/rerun_consent.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "cli/output/record_history.h"
#include "job/manifest/node_rights.h"
#include "work/history/find_run.h"

namespace trainctl::cli {
namespace {

// The lines of `left` that `right` lacks, each behind the sign.
void add_lacking(const std::vector<std::string>& left, const std::vector<std::string>& right,
                 std::string_view sign, std::vector<std::string>& lines) {
  for (const std::string& word : left) {
    const bool is_common = std::ranges::find(right, word) != right.end();
    if (!is_common) lines.push_back(cat("  ", sign, word));
  }
}

void show_difference(Context& context, const std::string& name, const work::Manifest& manifest) {
  if (!context.history) return;
  const auto newest = work::newest_run(context, {manifest.kind, name, ""});
  if (!newest || newest->origin.elsewhere) return;
  const auto run = context.history->find(newest->number);
  if (!run || !run->manifest.is_object()) return;
  const auto own = job::program_words(*manifest.kind, run->manifest);
  const auto now = job::program_words(*manifest.kind, as_history_keeps(context, manifest.object));
  std::vector<std::string> lines;
  add_lacking(own, now, "- ", lines);
  add_lacking(now, own, "+ ", lines);
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
  TRY_ASSIGN(const bool agreed, consented(context.console, context.environment,
                                          cat("Run this as ", context.user_name())));
  if (agreed) return {};
  return Error{Code::usage, cat(name, " was not run again"), ""};
}

Status check_without_rights(const work::Manifest& manifest) {
  std::vector<std::string> rights = job::node_rights(manifest.object);
  for (const job::Companion& companion : manifest.companions) {
    for (std::string& right : job::node_rights(companion.object))
      rights.push_back(std::move(right));
  }
  if (rights.empty()) return {};
  return Error{Code::usage,
               cat("the job has rights that an agent may not ask for: ", join(rights, ", ")),
               "ask the user to submit it"};
}

}  // namespace trainctl::cli
