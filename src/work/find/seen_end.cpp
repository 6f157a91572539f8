#include "work/find/seen_end.h"

#include <algorithm>
#include <map>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "manifest/secrets.h"
#include "status/judgement.h"

namespace trainctl::work {
namespace {

void note_seen_ends(Access& access, std::span<const FoundJob> jobs,
                    std::span<const job::JobState> states) {
  const auto is_over = [](const job::JobState& state) { return job::is_final(state.phase); };
  if (!access.history || std::ranges::none_of(states, is_over)) return;
  RunQuery query;
  query.unended = true;
  auto unended = access.history->list(query);
  if (!unended) return;
  std::map<std::string, PastRun> runs;
  for (PastRun& run : *unended) runs.emplace(run.uid, std::move(run));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto found = runs.find(jobs[i].uid());
    if (!is_over(states[i]) || found == runs.end()) continue;
    PastRun& run = found->second;
    run.metrics = nullptr;  // listed without their points, which stay
    run.started = job::first_placed(states[i]);
    if (!run.started) run.started = parse_time(text_at(jobs[i].object, "/status/startTime"));
    run.ended = states[i].since;
    run.exit_status.reset();  // of a command that gave up before
    run.verdict = lower(job::phase_name(states[i].phase));
    run.message =
        job::text_without_secrets(shortened(printable_line(states[i].message), k_longest_message));
    if (!access.history->keep(run, access.loop.now())) return;
  }
}

void recall_causes(Access& access, std::span<const FoundJob> jobs,
                   std::span<job::JobState> states) {
  const auto lacks_cause = [](const job::JobState& state) {
    return state.phase == job::Phase::failed && !state.first_failed;
  };
  if (!access.history || std::ranges::none_of(states, lacks_cause)) return;
  RunQuery query;
  query.verdicts = {lower(job::phase_name(job::Phase::failed))};
  const auto failed = access.history->list(query);
  if (!failed) return;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!lacks_cause(states[i])) continue;
    const auto run = std::ranges::find(*failed, jobs[i].uid(), &PastRun::uid);
    if (run == failed->end()) continue;
    const std::string verdict = cat("job ", jobs[i].name(), " failed: ");
    if (run->message.starts_with(verdict)) states[i].message = run->message.substr(verdict.size());
  }
}

}  // namespace

void compare_with_history(Access& access, std::span<const FoundJob> jobs,
                          std::span<job::JobState> states) {
  note_seen_ends(access, jobs, states);
  recall_causes(access, jobs, states);
}

void note_deletion(Access& access, const FoundJob& job) {
  const job::JobState state = job::judge(*job.kind, job.object, {}, {});
  if (job::is_final(state.phase)) return note_seen_ends(access, {&job, 1}, {&state, 1});
  if (!access.history) return;
  RunQuery query{job.ns(), job.name()};
  query.unended = true;
  auto unended = access.history->list(query);
  if (!unended) return;
  const auto run = std::ranges::find(*unended, job.uid(), &PastRun::uid);
  if (run == unended->end()) return;
  run->metrics = nullptr;  // listed without their points, which stay
  run->ended = access.loop.now();
  run->verdict = "removed";
  run->message = "it was deleted";
  (void)access.history->keep(*run, access.loop.now());
}

}  // namespace trainctl::work
