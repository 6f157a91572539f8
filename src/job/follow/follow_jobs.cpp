// Runs one follower for each job, on one loop; a job's final messages are printed when it ends.
#include "job/follow/follow_jobs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "job/follow/follower.h"
#include "job/follow/job_console.h"

namespace trainctl::job {
namespace {

struct Following {
  JobConsole console;
  Follower follower;

  Following(kube::Client& client, Console& shared_console, SharedStdout& shared, FollowedJob job)
      : console(shared_console, shared, job.options.logs.job),
        follower(client, console, *job.kind, std::move(job.job), std::move(job.options)) {}
};

}  // namespace

FollowResult follow_job(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
                        const FollowOptions& options) {
  Follower follower(client, console, kind, std::move(job), options);
  follower.start();
  client.loop().run_until([&follower] { return follower.is_done(); });
  return follower.finish();
}

std::vector<FollowResult> follow_jobs(kube::Client& client, Console& console,
                                      std::vector<FollowedJob> jobs) {
  SharedStdout shared;
  std::vector<std::unique_ptr<Following>> followed;
  for (FollowedJob& job : jobs) {
    followed.push_back(std::make_unique<Following>(client, console, shared, std::move(job)));
    followed.back()->follower.start();
  }
  std::vector<FollowResult> results(followed.size());
  const auto is_done = [](const auto& one) { return one && one->follower.is_done(); };
  for (std::size_t open = followed.size(); open > 0;) {
    client.loop().run_until([&] { return std::ranges::any_of(followed, is_done); });
    for (std::size_t i = 0; i < followed.size(); ++i) {
      if (!is_done(followed[i])) continue;
      results[i] = followed[i]->follower.finish();
      followed[i].reset();
      --open;
    }
  }
  return results;
}

}  // namespace trainctl::job
