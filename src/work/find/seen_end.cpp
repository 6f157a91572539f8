#include "work/find/seen_end.h"

#include <algorithm>
#include <set>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "manifest/secrets.h"

namespace trainctl::work {

void note_seen_ends(Access& access, const std::vector<FoundJob>& jobs,
                    const std::vector<job::JobState>& states) {
  const auto is_over = [](const job::JobState& state) { return job::is_final(state.phase); };
  if (!access.history || std::ranges::none_of(states, is_over)) return;
  RunQuery query;
  query.unended = true;
  const auto unended = access.history->list(query);
  if (!unended) return;
  std::set<std::string> uids;
  for (const PastRun& run : *unended) uids.insert(run.uid);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!is_over(states[i]) || !uids.contains(jobs[i].uid())) continue;
    PastRun run;
    run.name = jobs[i].name();
    run.ns = jobs[i].ns();
    run.uid = jobs[i].uid();
    run.kind = std::string(jobs[i].kind->resource.kind);
    run.started = parse_time(text_at(jobs[i].object, "/status/startTime"));
    run.ended = states[i].since;
    run.verdict = lower(job::phase_name(states[i].phase));
    run.message =
        job::text_without_secrets(shortened(printable_line(states[i].message), k_longest_message));
    if (!access.history->keep(run, access.loop.now())) return;
  }
}

}  // namespace trainctl::work
