// The metrics API gets one attempt and a limit of its own, since a table without usage is of use.
#include "work/find/usage.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "status/refusing_nodes.h"
#include "work/find/batch_fetch.h"
#include "work/find/worker_cluster.h"

namespace trainctl::work {
namespace {

constexpr kube::Resource k_pod_metrics{"metrics.k8s.io", "v1beta1", "pods", "PodMetrics"};
constexpr kube::Resource k_node_metrics{"metrics.k8s.io", "v1beta1", "nodes", "NodeMetrics"};
constexpr Duration k_metrics_patience = std::chrono::seconds(2);

// The API serves no pages: more than one would be another server's.
Listing metrics_listing(const kube::Resource& resource, std::string_view ns) {
  return {.resource = resource,
          .ns = std::string(ns),
          .first_page_only = true,
          .patience = k_metrics_patience};
}

std::vector<Json> metrics_in(const Access& access, Listing listing, UsageGaps& gaps) {
  if (!listing.failure) return std::move(listing.objects);
  if (kind_missing(*listing.failure)) {
    gaps.metrics = MetricsAnswer::not_served;
    gaps.notices.emplace_back(access.embedded
                                  ? "the embedded cluster measures pods, not nodes"
                                  : "the cluster serves no metrics API, so usage is unknown");
    return {};
  }
  gaps.metrics = MetricsAnswer::failed;
  gaps.warnings.push_back(
      cat("usage is unknown without metrics: ", listing.failure->error.message));
  return {};
}

JobListings listings_with_metrics(std::string_view ns, std::string_view name,
                                  const job::Kind* kind) {
  JobListings around = listings_for(ns, name, kind);
  around.listings.push_back(metrics_listing(k_pod_metrics, ns));
  return around;
}

// The pods of the job's replicas.
job::PodLoads own_loads(const job::JobState& state, const job::PodLoads& all) {
  job::PodLoads own;
  for (const job::ReplicaState& replica : state.replicas) {
    const auto found = all.find(replica.pod.uid);
    if (found != all.end()) own.insert(*found);
  }
  return own;
}

// `around` ends with the metrics.
Result<JobsUsage> usage_of_jobs(Access& access, std::vector<FoundJob> jobs, JobListings around) {
  JobsUsage all;
  if (jobs.empty()) return all;
  const std::vector<Json> metrics = metrics_in(access, std::move(around.listings.back()), all.gaps);
  around.listings.pop_back();
  const job::PodLoads loads = job::loads_of_pods(around.pods().objects, metrics);
  TRY_ASSIGN(auto states, judge_jobs(access, jobs, std::move(around)));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    job::PodLoads own = own_loads(states[i], loads);
    const job::Load load = job::load_of_job(states[i], own);
    all.jobs.push_back({std::move(jobs[i]), std::move(states[i]), std::move(own), load});
  }
  return all;
}

// Keeps the objects, or says what is missing; null when the user may not list them.
Result<const std::vector<Json>*> permitted(const Listing& listing, std::string_view lacking,
                                           UsageGaps& gaps) {
  if (!listing.failure) return &listing.objects;
  const Error& error = listing.failure->error;
  if (error.code != Code::auth) return error;
  gaps.warnings.push_back(cat(lacking, ": ", error.message));
  return nullptr;
}

// The pods that have a place on nodes, or wait for one.
Listing present_pods(const std::string& ns) {
  return {kube::k_pods, ns, {"", "status.phase!=Succeeded,status.phase!=Failed"}};
}

// Asks for the pods of the namespace where those of all namespaces may not be listed, since they
// are the ones that the user can do something about.
void narrow_pods(Access& access, kube::Client& client, Listing& pods, NodesUsage& all) {
  if (!pods.failure || pods.failure->error.code != Code::auth) return;
  std::vector<Listing> own = {present_pods(access.ns())};
  fetch_together(client, own);
  if (own.front().failure) return;
  all.pods_of = access.ns();
  all.gaps.warnings.push_back(cat("REQ counts only the pods of namespace ", all.pods_of, ": ",
                                  pods.failure->error.message));
  pods = std::move(own.front());
}

}  // namespace

Result<JobsUsage> list_usage(Access& access, const JobQuery& query) {
  TRY(access.client());  // which knows the namespace
  JobListings around =
      listings_with_metrics(query.all_namespaces ? "" : access.ns(), "", query.kind);
  TRY_ASSIGN(auto jobs, list_jobs(access, query, &around));
  return usage_of_jobs(access, std::move(jobs), std::move(around));
}

Result<JobsUsage> find_usage(Access& access, const job::JobRef& ref) {
  TRY(access.client());  // which knows the namespace
  JobListings around = listings_with_metrics(access.ns(), ref.name, ref.kind);
  TRY_ASSIGN(auto jobs, find_job_or_array(access, ref, &around));
  if (jobs.size() == 1) TRY(enter_worker(access, jobs.front(), &around));
  if (around.listings.empty()) {
    TRY_ASSIGN(kube::Client * client, access.client());
    const std::string name = jobs.size() == 1 ? jobs.front().name() : "";
    around = listings_with_metrics(access.ns(), name, jobs.front().kind);
    fetch_together(*client, around.listings);
  }
  return usage_of_jobs(access, std::move(jobs), std::move(around));
}

Result<NodesUsage> node_usage(Access& access) {
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> asked = {
      {kube::k_nodes, ""},
      present_pods(""),
      metrics_listing(k_node_metrics, ""),
      {.resource = kube::k_events, .ns = access.ns(), .patience = k_metrics_patience}};
  fetch_together(*client, asked);
  NodesUsage all;
  if (!asked[0].failure) narrow_pods(access, *client, asked[1], all);
  TRY_ASSIGN(const auto* nodes,
             permitted(asked[0], "the capacity is unknown without the nodes", all.gaps));
  TRY_ASSIGN(
      const auto* pods,
      permitted(asked[1], "requests are unknown without the pods of all namespaces", all.gaps));
  if (nodes == nullptr && pods == nullptr) return std::move(asked[0].failure->error);
  const std::vector<Json> metrics = metrics_in(access, std::move(asked[2]), all.gaps);
  all.nodes = job::loads_of_nodes(nodes, pods, metrics);
  for (const job::RefusingNode& node : job::refusing_nodes(asked[3].objects, {})) {
    all.gaps.warnings.push_back(node.advice());
  }
  return all;
}

}  // namespace trainctl::work
