// Follows a job of two replicas whose server is scripted.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "job/follow.h"
#include "support/fake_cluster.h"

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

inline testing::Exchange log_of(std::string_view pod, std::string text, int status = 200) {
  testing::Exchange exchange;
  exchange.path = cat(k_ns, "/pods/", pod, "/log");
  exchange.status = status;
  exchange.repeat = true;
  exchange.chunks = {{Duration{}, std::move(text)}};
  return exchange;
}

struct Followed {
  testing::BufferConsole console;
  Status verdict;
};

inline Followed follow_all(const Json& job, std::vector<Json> pods,
                           std::vector<testing::Exchange> logs) {
  std::vector<testing::Exchange> exchanges = std::move(logs);
  exchanges.push_back(list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}));
  exchanges.push_back(list(cat(k_ns, "/pods"), std::move(pods)));
  exchanges.push_back(list(cat(k_ns, "/events"), {}));
  testing::FakeCluster cluster(std::move(exchanges));
  FollowOptions options;
  options.selection.all = true;
  Followed followed;
  const Kind& kind = *find_kind("pytorch");
  followed.verdict =
      follow_job(*cluster.client, followed.console, kind, {"ml", "ddp", "job-uid"}, options)
          .outcome.verdict;
  return followed;
}

inline const std::string k_line = "2026-01-02T03:00:05.000000001Z ";

}  // namespace trainctl::job
