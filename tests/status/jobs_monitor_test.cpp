// Jobs that are watched together: when they are judged, and what is left of one that is deleted.
#include "status/jobs_monitor.h"

#include <doctest/doctest.h>

#include "support/fake_cluster.h"
#include "support/objects.h"

namespace jobs_monitor_test {

using namespace trainctl;
using namespace trainctl::job;
using namespace trainctl::testing;
using std::chrono::milliseconds, std::chrono::seconds;

constexpr std::string_view k_jobs = "/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs";
constexpr std::string_view k_pods = "/api/v1/namespaces/ml/pods";
constexpr std::string_view k_events = "/api/v1/namespaces/ml/events";

Exchange list(std::string_view path, std::vector<Json> items, Duration after = {}) {
  Exchange exchange;
  exchange.path = path;
  exchange.query = {{"limit", "500"}};
  exchange.repeat = true;
  Json list{{"kind", "List"}, {"metadata", {{"resourceVersion", "20"}}}};
  list["items"] = std::move(items);
  exchange.chunks = {{after, dump(list)}};
  return exchange;
}

Exchange refusal(std::string_view path) {
  Exchange exchange = list(path, {});
  exchange.status = 403;
  return exchange;
}

struct Change {
  Duration after;
  std::string_view type;
  Json object;
};

Exchange watch(std::string_view path, std::vector<Change> changes) {
  Exchange exchange;
  exchange.path = path;
  exchange.query = {{"watch", "true"}};
  exchange.ending = "never";
  int version = 20;
  for (Change& change : changes) {
    change.object["metadata"]["resourceVersion"] = std::to_string(++version);
    exchange.chunks.push_back(
        {change.after, dump({{"type", change.type}, {"object", change.object}}) + "\n"});
  }
  return exchange;
}

// The monitor's reports, one line each, with the phases of the jobs after each judgement.
struct Said : JobsSink {
  std::optional<JobsMonitor> monitor;
  std::vector<std::string> lines;

  void on_change() override {
    std::string line = "judged";
    for (const auto& [key, job] : monitor->jobs()) {
      line += cat(" ", key, " ", phase_name(job.state.phase));
    }
    lines.push_back(line);
  }
  void on_gone(const std::string& key, const JudgedJob& last) override {
    CHECK_FALSE(monitor->jobs().contains(key));
    lines.push_back(cat("gone ", key, " ", phase_name(last.state.phase)));
  }
  void on_trouble(const std::string&) override {}
  void on_missing(const kube::Resource& resource, const Error&) override {
    lines.push_back(cat("without ", resource.plural));
  }
  void on_stop(const Error&) override { lines.emplace_back("stopped"); }
};

std::vector<std::string> said(std::vector<Exchange> exchanges, WantedJobs wanted = {}) {
  FakeCluster cluster(std::move(exchanges));
  wanted.kinds = {find_kind("pytorch")};
  wanted.ns = "ml";
  Said said;
  said.monitor.emplace(*cluster.client, std::move(wanted), said);
  bool over = false;
  const HandlePtr timer = cluster.loop.after(seconds(30), [&over] { over = true; });
  cluster.loop.run_until([&over] { return over; });
  return said.lines;
}

const std::string k_running = condition("Running", "True");
const std::string k_succeeded = cat(k_running, ", ", condition("Succeeded", "True"));

Json job_with(const std::string& conditions) {
  return pytorch_job(1, cat("[", conditions, "]"));
}

using Lines = std::vector<std::string>;

TEST_CASE("jobs are judged when all that can be read has been read, and not before") {
  CHECK(said({list(k_jobs, {job_with(k_running)}), list(k_events, {}),
              list(k_pods, {pod("worker", 0, running())}, seconds(5)),
              watch(k_jobs, {{seconds(1), "MODIFIED", job_with(k_succeeded)}})}) ==
        Lines{"judged ml/ddp/job-uid Succeeded"});
  CHECK(said({list(k_jobs, {job_with(k_running)}), refusal(k_events), refusal(k_pods)}) ==
        Lines{"without pods", "without events", "judged ml/ddp/job-uid Running"});
  CHECK(said({refusal(k_jobs), list(k_events, {}), list(k_pods, {})}).front() == "stopped");
}

TEST_CASE("a job that ends and is deleted at once is judged by its end") {
  CHECK(said({list(k_jobs, {job_with(k_running)}), list(k_events, {}), list(k_pods, {}),
              watch(k_jobs, {{seconds(1), "MODIFIED", job_with(k_succeeded)},
                             {milliseconds(20), "DELETED", job_with(k_succeeded)}})}) ==
        Lines{"judged ml/ddp/job-uid Running", "gone ml/ddp/job-uid Succeeded", "judged"});
}

TEST_CASE("a namesake that follows at once does not take the deleted job's place") {
  Json namesake = job_with("");
  namesake["metadata"]["uid"] = "another";
  CHECK(said({list(k_jobs, {job_with(k_running)}), list(k_events, {}), list(k_pods, {}),
              watch(k_jobs, {{seconds(1), "DELETED", job_with(k_succeeded)},
                             {milliseconds(20), "ADDED", namesake}})}) ==
        Lines{"judged ml/ddp/job-uid Running", "gone ml/ddp/job-uid Succeeded",
              "judged ml/ddp/another Submitted"});
}

TEST_CASE("of jobs that nobody asked for neither changes nor ends are reported") {
  Json other = job_with(k_running);
  other["metadata"]["name"] = "other";
  other["metadata"]["uid"] = "other";
  WantedJobs wanted;
  wanted.names = {{find_kind("pytorch"), "ddp"}};
  CHECK(said({list(k_jobs, {job_with(k_running), other}), list(k_events, {}), list(k_pods, {}),
              watch(k_jobs, {{seconds(1), "DELETED", other}})},
             wanted) == Lines{"judged ml/ddp/job-uid Running"});
}

}  // namespace jobs_monitor_test
