// Follows a job of two replicas whose server is scripted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "follow/follow.h"
#include "support/fake_cluster.h"
#include "support/logged_replica.h"

namespace trainctl::job {

inline constexpr std::string_view k_ns = "/api/v1/namespaces/ml";

inline testing::Exchange list(std::string path, std::vector<Json> items) {
  testing::Exchange exchange;
  exchange.path = std::move(path);
  exchange.repeat = true;
  Json list{{"kind", "List"}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", "20"}}}};
  list["items"] = std::move(items);
  exchange.chunks = {{Duration{}, dump(list)}};
  return exchange;
}

using testing::log_of;

inline constexpr std::string_view k_jobs = "/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs";

struct Change {
  Duration after;  // the one before
  std::string_view type;
  Json object;
};

// A watch that tells of these, and then of nothing more.
inline testing::Exchange watch(std::string path, std::vector<Change> changes) {
  testing::Exchange exchange;
  exchange.path = std::move(path);
  exchange.query = {{"watch", "true"}};
  exchange.ending = "never";
  for (Change& change : changes) {
    change.object["metadata"]["resourceVersion"] = std::to_string(21 + exchange.chunks.size());
    const Json line{{"type", std::string(change.type)}, {"object", std::move(change.object)}};
    exchange.chunks.push_back({change.after, dump(line) + "\n"});
  }
  return exchange;
}

struct Followed {
  testing::BufferConsole console;
  FollowResult result;
  Status verdict;

  bool said(std::string_view text) const {
    return console.stderr_text.find(text) != std::string::npos;
  }
};

inline FollowResult follow_job(kube::Client& client, Console& console, const Kind& kind,
                               KnownJob job, const FollowOptions& options) {
  std::optional<FollowedJob> only{FollowedJob{&kind, std::move(job), options}};
  FollowResult ended;
  JobQueue queue;
  queue.next = [&only](std::size_t) { return std::exchange(only, std::nullopt); };
  queue.on_end = [&ended](std::size_t, FollowResult result) { ended = std::move(result); };
  follow_jobs(client, console, queue);
  return ended;
}

// `exchanges` come before the lists of job and pods, and that of no events.
inline Followed follow(const FollowOptions& options, const Json& job, std::vector<Json> pods,
                       std::vector<testing::Exchange> exchanges) {
  exchanges.push_back(list(std::string(k_jobs), {job}));
  exchanges.push_back(list(cat(k_ns, "/pods"), std::move(pods)));
  exchanges.push_back(list(cat(k_ns, "/events"), {}));
  testing::FakeCluster cluster(std::move(exchanges));
  Followed followed;
  followed.result = follow_job(*cluster.client, followed.console, *find_kind("pytorch"),
                               {"ml", "ddp", "job-uid"}, options);
  followed.verdict = followed.result.outcome.verdict;
  return followed;
}

inline Followed follow_all(const Json& job, std::vector<Json> pods,
                           std::vector<testing::Exchange> logs) {
  FollowOptions options;
  options.logs.selection.all = true;
  return follow(options, job, std::move(pods), std::move(logs));
}

inline const std::string k_line = "2026-01-02T03:00:05.000000001Z ";

}  // namespace trainctl::job
