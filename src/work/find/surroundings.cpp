// Selects pods by the labels of the kinds that are wanted or were found.
#include "work/find/surroundings.h"

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "job/status/surroundings.h"

namespace trainctl::work {

Listing pods_listing(std::string_view ns, const job::Kind* kind, std::string_view job_name) {
  return {kube::k_pods, std::string(ns), {job::pod_selector(kind, job_name), ""}};
}

Surroundings surroundings(std::string_view ns, std::string_view job_name, const job::Kind* kind) {
  Surroundings around;
  const job::Kind* asked = kind == nullptr ? &job::operator_kinds().front() : kind;
  around.pod_label = asked->controller.labels.job;
  auto [pods, warnings, exits] = job::surrounding_targets(std::string(ns), {&asked, 1});
  if (!job_name.empty()) pods[0].options.label_selector += cat('=', job_name);
  for (kube::WatchTarget* target : {&pods[0], &warnings, &exits}) {
    around.listings.push_back({target->resource, target->ns, std::move(target->options)});
  }
  return around;
}

void add_other_pods(kube::Client& client, std::span<const job::Kind* const> kinds,
                    std::string_view name, Surroundings* around) {
  if (around == nullptr || around->listings.empty() || kinds.empty()) return;
  Listing& pods = around->listings.front();
  std::vector<Listing> others;
  for (const std::string_view label : job::job_labels(kinds)) {
    if (label == around->pod_label) continue;
    std::string selector = name.empty() ? std::string(label) : cat(label, '=', name);
    others.push_back({.resource = pods.resource,
                      .ns = pods.ns,
                      .options = {std::move(selector), ""},
                      .lane = pods.lane,
                      .part = pods.part});
  }
  fetch_together(client, others);
  for (Listing& other : others) {
    if (other.failure && !pods.failure) pods.failure = std::move(other.failure);
    std::move(other.objects.begin(), other.objects.end(), std::back_inserter(pods.objects));
  }
}

}  // namespace trainctl::work
