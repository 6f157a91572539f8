// Makes the manifest of another run of a job: the job's own object, without the fields that the
// server and the first run have written into it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "kube/client/resource.h"
#include "manifest/companions.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// Marks the manifest of one of several attempts of a job (--retry), so that its program can tell
// which one it is and where the one before has written. Pure. In the environment of the training
// containers: the number of the attempt, from 1.
inline constexpr std::string_view k_attempt_variable = "TRAINCTL_ATTEMPT";
// From the second attempt on, where the container mounts a volume that outlives its pod: the path
// of the first one that may be written, where the attempt before has left its checkpoints.
inline constexpr std::string_view k_resume_variable = "TRAINCTL_RESUME_FROM";

// `attempt` counts from 1. Replaces the marks of another attempt.
void mark_attempt(const Kind& kind, Json& manifest, int attempt);
// The number that mark_attempt has written; nullopt: the job was not created by --retry.
std::optional<int> attempt_of(const Kind& kind, const Json& job);

// True when the cluster restarts a failed replica before it counts the job as failed.
bool restarts_itself(const Kind& kind, const Json& manifest);

// Keeps all pods of the job off this node, in addition to the manifest's own rules for nodes.
void avoid_node(const Kind& kind, Json& manifest, const std::string& node);
// True where that, or --exclude-node, keeps the pod off the node.
bool avoids_node(const Json& pod_spec, const std::string& node);

// The annotation on another run of a job: that job's name.
inline constexpr std::string_view k_rerun_annotation = "trainctl/rerun-of";
// That job's uid, which no later job of its name has.
inline constexpr std::string_view k_rerun_uid_annotation = "trainctl/rerun-of-uid";
// The annotation that proves who wrote those annotations, a job's place in an array, and the
// program of its pods.
inline constexpr std::string_view k_lineage_annotation = "trainctl/lineage";

// The part of `job` that a user may have written, its name included.
Json submitted_manifest(const Json& job);
// True for an object that a server has stored: it refuses such an object at its creation.
bool is_exported(const Json& object);

// The manifest of another run of `job`. The server completes its name: "ddp-x7k2p" for a run of
// "ddp", or for another run of "ddp-x7k2p".
Json rerun_manifest(const Kind& kind, const Json& job);

// Names the run after the job with this uid, so that a second run of the same job meets a name that
// is taken. Leaves a manifest that has a name already.
void name_after_run(Json& manifest, const std::string& uid);

// True when the program's whole line is its command, so that a new line replaces the command, and
// not only the arguments after it.
bool words_were_command(const Kind& kind, const Json& manifest);
// True when the training container of a replica names its command, and not arguments alone.
bool has_command(const Kind& kind, const Json& manifest);

// The job's own command, in which each option of `changes` ("--lr", "0.3", or "--lr=0.3") takes the
// place of the same option, or follows the others: a line to propose. Empty where the replicas'
// commands differ, a shell reads one, or an argument holds a secret or a variable of the cluster.
std::vector<std::string> command_with_options(const Kind& kind, const Json& manifest,
                                              const std::vector<std::string>& changes);

}  // namespace trainctl::job
