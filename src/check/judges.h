// Judges what a cluster says about a job that is not created yet: one judge for each thing that can
// keep it from running. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value/json.h"
#include "check/finding.h"
#include "kube/client/discovery.h"
#include "kube/client/resource.h"
#include "manifest/kind/kind.h"
#include "manifest/needed_objects.h"
#include "status/refusing_nodes.h"

namespace trainctl::job {

// admission.cpp: a job or a pod whose dry run the server refused, or did not decide. Quotas, limit
// ranges and pod security act only when the operator creates the pods, policies on both.
Finding judge_refusal(const std::string& subject, const Error& refusal);

// The operator's configuration decides whether its init container in a pod has requests, which a
// quota may demand of every container. Returns the pod with an init container that has none;
// nullopt for a pod without one.
std::optional<Json> without_init_requests(const Json& pod);
// Judges the refusal of such a pod; nothing where requests are not what it lacks.
Findings judge_bare_init(const std::string& subject, const Error& refusal);

// The pod without the operator's own init container, if it has one.
std::optional<Json> without_operators_init(const Json& pod);
// Judges the refusal of a pod that is admitted without that container.
Finding judge_guessed_init(const std::string& subject, const Error& refusal);

// The rights that a run needs, and what is lost without one.
struct NeededRight {
  kube::Action action;
  Severity without;
  std::string_view consequence;
};

// `jobs`: the job's kind.
std::vector<NeededRight> needed_rights(const kube::Resource& jobs);

// Nothing for a right that the user has, or of which the server says nothing (nullopt).
Findings judge_right(const NeededRight& right, std::optional<bool> allowed, const std::string& ns);

// node_fit.cpp judges nodes as if they were empty. The embedded cluster's scheduler counts devices
// alone, and never gets another node.
enum class Scheduler { kubernetes, embedded };

// Says in plain words why this node can never host such a pod; "" = it could. Considers what the
// node offers, its labels and its taints; ignores other pods, and taints that come and go.
std::string node_fault(const Json& node, const Json& pod_spec, Scheduler scheduler);

// Warns of a node that refuses pods, unless the job's pods keep off it.
Findings judge_refusing(const std::vector<PredictedPod>& pods, const RefusingNode& node);

// A failure in the embedded cluster alone: elsewhere an autoscaler may add nodes.
Findings judge_nodes(const std::vector<PredictedPod>& pods, const std::vector<Json>& nodes,
                     Scheduler scheduler);

// presence.cpp judges the objects that a job's pods name.
Findings judge_missing(const NeededObject& needed, const std::string& ns);

// Judges an object that exists: a config map or secret must have each key that a pod names. Does
// not read the values.
Findings judge_present(const NeededObject& needed, const Json& object);

// The number of replicas that mount the claim.
int mounts_of(const std::vector<PredictedPod>& pods, const std::string& claim);

// Whether pods can mount the claim. `storage_classes`: those of the cluster; null when the user may
// not list them.
Findings judge_claim(const Json& claim, int mounts, const std::vector<Json>* storage_classes);

// Judges an existing claim that has the name of one to be created for this job alone. It fails,
// unless an earlier job of the same kind and name owns it: that claim is deleted with that job.
Findings judge_own_claim(const Json& claim, const Kind& kind, std::string_view job);

// program_fit.cpp: contradictions between a job's program and the resources and policies of its
// replicas. Never more than Severity::may_fail: a program may do with its arguments what it likes.
Findings judge_program(const Kind& kind, const Json& manifest);

// quota_fit.cpp: a namespace's ResourceQuotas, and a queue of Kueue. Fails where a quota is smaller
// than the job, and may fail where others have taken the room. Quotas that concern only some pods
// are left out: the pods' own admission decides about them.
Findings judge_quotas(const std::vector<PredictedPod>& pods, const std::vector<Json>& quotas);

// The ClusterQueue behind a LocalQueue; "" = none.
std::string cluster_queue_of(const Json& local_queue);

// For a label that names a queue which does not exist, and for a cluster without Kueue.
Findings judge_missing_queue(const std::string& queue, const std::string& ns);
Findings judge_missing_kueue(const std::string& queue);

Findings judge_local_queue(const Json& local_queue);
// Judges whether each role fits into some flavor's quota with all that the flavor may borrow.
Findings judge_cluster_queue(const std::vector<PredictedPod>& pods, const Json& cluster_queue);
// Warns of a queue whose jobs preempt each other, where pods have the default time to end.
Findings judge_preemption(const std::vector<PredictedPod>& pods, const Json& cluster_queue);

}  // namespace trainctl::job
