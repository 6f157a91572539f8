// Runs one follower for each job, on one loop; a job's final messages are printed when it ends.
#include "follow/follow.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/terminal_text.h"
#include "follow/follower.h"
#include "follow/job_console.h"
#include "follow/live_region.h"
#include "follow/progress_reporter.h"
#include "manifest/array.h"

namespace trainctl::job {
namespace {

constexpr Duration k_ask_again = std::chrono::seconds(5);

struct Following {
  std::string name;                     // "" = it is the only one, and has the console itself
  std::unique_ptr<JobConsole> console;  // of one of several
  std::string values;                   // member_values()
  Follower follower;
  Time next_look = {};  // for its worker cluster

  Following(kube::Client& client, Console& shared_console, SharedStdout& shared, FollowedJob job)
      : name(job.options.logs.job),
        console(name.empty() ? nullptr
                             : std::make_unique<JobConsole>(shared_console, shared, name)),
        values(printable_line(member_values(job.job.object))),
        follower(client, console ? *console : shared_console, *job.kind, std::move(job.job),
                 std::move(job.options), console && shared_console.shows_status()) {}
};

// Its worker cluster is asked for before anything is watched, so that no line seems to be missed.
std::unique_ptr<Following> begin_following(kube::Client& client, Console& console,
                                           SharedStdout& shared, FollowedJob job) {
  const bool may_be_elsewhere =
      job.options.find_worker && may_have_worker(*job.kind, job.job.object);
  std::optional<WorkerPods> worker;
  if (may_be_elsewhere) worker = job.options.find_worker(job.job.object);
  auto following = std::make_unique<Following>(client, console, shared, std::move(job));
  if (may_be_elsewhere) following->next_look = client.loop().now() + k_ask_again;
  following->follower.take_worker(worker);
  following->follower.start();
  return following;
}

// The lines of all jobs, below how they stand together.
StatusLine::Shown shown_of(const std::vector<std::unique_ptr<Following>>& followed,
                           JobsSummary summary, Console& console) {
  const int width = console.size().width;
  LiveColumns columns;
  for (const auto& one : followed) {
    if (!one) continue;
    columns.name = std::max(columns.name, display_width(one->name));
    columns.values = std::max(columns.values, display_width(one->values));
  }
  std::vector<LiveJob> jobs;
  for (const auto& one : followed) {
    auto job = one ? one->follower.live(width - 1, columns) : std::nullopt;
    if (!job) continue;
    if (job->best) summary.bests.push_back(*job->best);
    jobs.push_back(*std::move(job));
  }
  const std::size_t room = console.region_room();
  if (jobs.empty() || room < 2) return {jobs_lines(std::move(jobs), room), {}};
  std::vector<std::string> lines = {
      console.painted(shortened(summary_line(summary), width - 1), Colour::bold)};
  for (std::string& line : jobs_lines(std::move(jobs), room - 1)) lines.push_back(std::move(line));
  return {std::move(lines), {}};
}

void add_best(const std::string& name, const FollowResult& result, JobsSummary& summary) {
  if (auto best = best_of(name, member_values(result.job), result.outcome.metrics)) {
    summary.bests.push_back(*std::move(best));
  }
}

}  // namespace

void follow_jobs(kube::Client& client, Console& console, const JobQueue& queue) {
  SharedStdout shared;
  std::vector<std::unique_ptr<Following>> followed;  // null once it has ended
  std::size_t open = 0;
  const auto is_done = [](const auto& one) { return one && one->follower.is_done(); };
  const auto lacks_worker = [](const auto& one) { return one && one->follower.lacks_worker(); };
  const auto seeks = [&](const auto& one) {
    return lacks_worker(one) && client.loop().now() >= one->next_look;
  };
  JobsSummary summary{0, queue.total, 0, {}};
  std::optional<StatusLine> region;  // of several
  while (true) {
    while (open < queue.at_once) {
      std::optional<FollowedJob> job = queue.next(open);
      if (!job) break;
      if (!region && !job->options.logs.job.empty()) {
        region.emplace(console, client.loop(),
                       [&] { return shown_of(followed, summary, console); });
      }
      followed.push_back(begin_following(client, console, shared, *std::move(job)));
      ++open;
    }
    if (open == 0) break;
    bool asks_again = false;
    HandlePtr timer;
    if (queue.grows || std::ranges::any_of(followed, lacks_worker)) {
      timer = client.loop().after(k_ask_again, [&asks_again] { asks_again = true; });
    }
    client.loop().run_until([&] {
      return asks_again || std::ranges::any_of(followed, is_done) ||
             std::ranges::any_of(followed, seeks);
    });
    for (const auto& one : followed) {
      if (!seeks(one)) continue;
      one->follower.seek_worker();
      one->next_look = client.loop().now() + k_ask_again;
    }
    for (std::size_t i = 0; i < followed.size(); ++i) {
      if (!is_done(followed[i])) continue;
      FollowResult result = followed[i]->follower.finish();
      ++summary.ended;
      if (result.outcome.verdict) {
        add_best(followed[i]->name, result, summary);
      } else {
        ++summary.failed;
      }
      followed[i].reset();
      --open;
      queue.on_end(i, std::move(result));
    }
  }
}

}  // namespace trainctl::job
