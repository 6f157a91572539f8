// Follows scripted logs with the loop's time, so that hours take no time.
#include "support/tail_reading.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"

namespace trainctl::testing {

std::string stamp(double second) {
  const auto time = Time(
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1767323045 + second)));
  return format_time(time, true);
}

std::string line(double second, std::string_view text) {
  return cat(stamp(second), " ", text, "\n");
}

Exchange log_answer(std::string data, std::string ending, Duration ends_after,
                    std::vector<std::pair<std::string, std::string>> query) {
  Exchange exchange;
  exchange.path = "/api/v1/namespaces/ml/pods/ddp-master-0/log";
  exchange.query = std::move(query);
  exchange.chunks = {{Duration{}, std::move(data)}};
  exchange.ending = std::move(ending);
  exchange.ends_after = ends_after;
  return exchange;
}

Exchange rest_answer(std::string data) {
  Exchange exchange = log_answer(std::move(data));
  exchange.repeat = true;
  return exchange;
}

Exchange unreachable() {
  Exchange exchange = log_answer("");
  exchange.chunks.clear();
  exchange.ending = "refused";
  return exchange;
}

Exchange pod_list(std::string_view current, std::string_view previous) {
  Json status{{"name", "pytorch"}, {"containerID", current}};
  status["lastState"]["terminated"]["containerID"] = previous;
  Json pod{{"metadata", {{"name", "ddp-master-0"}, {"uid", "uid"}}}};
  pod["status"]["containerStatuses"] = Json::array({status});
  Json list{{"kind", "PodList"}, {"apiVersion", "v1"}, {"items", Json::array({pod})}};
  Exchange exchange;
  exchange.path = "/api/v1/namespaces/ml/pods";
  exchange.query = {{"fieldSelector", "metadata.name=ddp-master-0"}};
  exchange.chunks = {{Duration{}, dump(list)}};
  return exchange;
}

Exchange run_before(std::string last_line) {
  const bool none = last_line.empty();
  Exchange exchange =
      log_answer(std::move(last_line), "", {}, {{"previous", "true"}, {"tailLines", "1"}});
  exchange.status = none ? 400 : 200;
  return exchange;
}

TailReading follow(FakeCluster& cluster, Following following) {
  TailReading reading;
  following.task.target = {"ml", "ddp-master-0", "uid", "pytorch", "c1"};
  job::LogTail tail(*cluster.client, std::move(following.task), reading);
  HandlePtr timer;
  if (following.ends_at) {
    timer = cluster.loop.after(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*following.ends_at)),
        [&] { tail.container_ended(following.end); });
  }
  cluster.loop.run_until([&] { return reading.outcome.has_value(); });
  reading.handover = tail.handover();
  CHECK(cluster.transport->complaints().empty());
  return reading;
}

TailReading follow(FakeCluster& cluster, double ends_at) {
  return follow(cluster, {.ends_at = ends_at});
}

}  // namespace trainctl::testing
