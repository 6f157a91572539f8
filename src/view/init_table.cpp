// A URL is the last column, since it may be long.
#include "view/init_table.h"

#include <algorithm>

#include "base/text/table.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "job/manifest/secrets.h"
#include "job/status/exit_words.h"

namespace trainctl::view {
namespace {

constexpr std::size_t k_most_words = 4;

std::string state_words(const job::InitSummary& one) {
  if (one.failure) {
    const std::string more = one.failed > 1 ? cat(" and ", one.failed - 1, " more") : "";
    return cat("failed in ", one.failure->replica, more);
  }
  if (one.running > 0) return cat("running in ", plural(one.running, "replica"));
  return one.done > 0 ? cat("done in ", plural(one.done, "replica")) : "not started";
}

std::string source_words(const job::InitSummary& one) {
  if (one.source.empty()) return "";
  return printable_line(cat(job::text_without_secrets(one.source), " to ", one.place));
}

std::string last_lines(const Viewer& viewer, const job::InitSummary& one) {
  const job::InitFailure& failure = *one.failure;
  const std::vector<std::string> lines = written_lines(failure.words);
  const std::string log = viewer.typeable(cat("trainctl logs ", failure.pod, " -c ", one.name));
  const std::string where =
      lines.empty() ? cat("; its log: ", log) : cat("; last lines (all: ", log, "):");
  std::string text = printable_line(cat("init container ", one.name, " of ", failure.replica, ' ',
                                        job::exit_words(failure.exit_code), where)) +
                     "\n";
  const std::size_t left_out = lines.size() > k_most_words ? lines.size() - k_most_words : 0;
  for (std::size_t i = left_out; i < lines.size(); ++i) {
    text += cat("  ", printable_line(lines[i]), "\n");
  }
  return text;
}

}  // namespace

std::string init_table(const Viewer& viewer, const std::vector<job::InitSummary>& all) {
  if (all.empty()) return "";
  Table rows({"INIT CONTAINER", "RESTARTS", "STATE", "SOURCE"});
  for (const job::InitSummary& one : all) {
    rows.add({{printable_line(one.name)},
              {std::to_string(one.restarts)},
              {state_words(one), one.failure ? Colour::red : Colour::none},
              {source_words(one)}});
  }
  rows.fit(viewer.console);
  std::string text = rows.text(viewer.console);
  const auto failed = std::ranges::find_if(
      all, [](const job::InitSummary& one) { return one.failure.has_value(); });
  return failed == all.end() ? text : text + last_lines(viewer, *failed);
}

}  // namespace trainctl::view
