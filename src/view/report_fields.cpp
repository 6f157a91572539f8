// docs/reports.md, the manual page and `help reports` print these rows; a test finds each field
// that is written without one.
#include "view/report_fields.h"

#include <array>

namespace trainctl::view {

namespace {

using enum FieldType;

constexpr std::string_view k_with_job = "there is a job";
constexpr std::string_view k_verdict = "a verdict was asked for";
constexpr std::string_view k_culprit = "a replica is to blame";
constexpr std::string_view k_described = "describe prints it";
constexpr std::string_view k_known = "it is known";

constexpr ReportField k_report_fields[] = {
    {".apiVersion", text, "", "trainctl/v1"},
    {".kind", text, "", "JobReport; several are the .items of a JobReportList"},
    {".name", text, "", "of the job"},
    {".namespace", text, "", "of the job"},
    {".jobKind", text, "a kind was found", "PyTorchJob, TFJob, …"},
    {".phase", text, k_with_job,
     "Submitted, Queued, Pending, Starting, Running, Restarting, Suspended, Succeeded or Failed"},
    {".reason", text, k_known, "why it is in this phase, as one word: BackoffLimitExceeded"},
    {".message", text, k_known, "the same, as a sentence"},
    {".since", time, k_known, "when the phase began"},
    {".replicas", list, k_with_job, "by rank, including those without a pod"},
    {".replicas[*].name", text, "", "worker-1"},
    {".replicas[*].role", text, "", "Master, Worker, …"},
    {".replicas[*].index", number, "", "within its role, from 0"},
    {".replicas[*].rank", number, "it has one", "in the training world"},
    {".replicas[*].pod", text, "there is one", "name of the replica's pod"},
    {".replicas[*].node", text, "it is placed", "name of its node"},
    {".replicas[*].state", text, "",
     "Missing, Pending, Waiting, Running, Succeeded, Failed or Terminating"},
    {".replicas[*].reason", text, k_known, "why, as one word: ImagePullBackOff, OOMKilled"},
    {".replicas[*].message", text, k_known, "the cluster's message about it"},
    {".replicas[*].exitCode", number, "a run has ended", "of its last completed run"},
    {".replicas[*].restarts", number, k_known, "how often its container was restarted"},
    {".replicas[*].since", time, k_known, "when the state began"},
    {".replicas[*].seconds", number, k_verdict, "from its pod's start to its last exit"},
    {".verdict", object, k_verdict, "how waiting for the job ended"},
    {".verdict.result", text, "",
     "succeeded, failed, not-started, timed-out, removed, interrupted, terminated, hung-up, "
     "not-found, not-permitted, refused, unreachable, broken-pipe, usage or error"},
    {".verdict.exitStatus", number, "", "trainctl's own"},
    {".verdict.message", text, "the result is not succeeded", "what is printed as the error"},
    {".verdict.hint", text, "there is one", "what to do about it"},
    {".followed", object, k_verdict,
     "how long trainctl waited for the job, which may have started earlier"},
    {".followed.began", time, "", "when the wait began"},
    {".followed.ended", time, "", "when it ended"},
    {".followed.seconds", number, "",
     "from `.followed.began` to `.followed.ended`, in whole seconds"},
    {".digest", object, k_culprit, "about the replica that the verdict blames"},
    {".digest.replica", text, "", "worker-1"},
    {".digest.exitCode", number, "a run has ended", "of its program"},
    {".digest.signal", number, "a signal ended it", "9 for SIGKILL"},
    {".digest.reason", text, k_known, "OOMKilled, Error, …"},
    {".digest.finished", time, k_known, "when its run ended"},
    {".digest.causes", list, k_known, "as `--retry-on` names them: oom, cuda-oom, node-lost, …"},
    {".digest.lastLines", list, "", "the last lines of its log"},
    {".attempt", number, "`--retry` was given", "which attempt this is, from 1"},
    {".retried", truth, "`--retry` was given", "another attempt followed"},
    {".earlierAttempts", list, "there were some", "the JobReports of earlier attempts"},
    {".events", list, k_described,
     "oldest first; `events -o json` prints one such object per line"},
    {".events[*].time", time, k_known, "when it last happened"},
    {".events[*].firstTime", time, k_known, "when it first happened"},
    {".events[*].count", number, "", "how often"},
    {".events[*].type", text, "", "Normal or Warning"},
    {".events[*].subject", text, "", "what it is about: job, worker-1, service/NAME, claim/NAME"},
    {".events[*].kind", text, "", "of the object that it is about: Pod"},
    {".events[*].name", text, "", "of that object"},
    {".events[*].reason", text, "", "one word: FailedScheduling"},
    {".events[*].message", text, "", "one sentence"},
    {".events[*].source", text, k_known, "who reports it"},
    {".code", object, "it was submitted with `--code`", "the code that runs in its pods"},
    {".code.digest", text, "", "of the archive that was sent: sha256:…"},
    {".code.size", number, "", "of the archive, in bytes"},
    {".code.files", number, "", "number of files in it"},
    {".code.commit", text, "it came from a git working tree", "the commit that was checked out"},
    {".code.changed", number, "it came from a git working tree",
     "number of these files that differ from the commit or are not in it"},
    {".code.changedFiles", list, "there are some", "the first twenty of them"},
    {".object", object, k_with_job, "the job as the API server has it"},
    {".deleted", truth, "it is true", "`get -w` saw the job's deletion: this is its last report"},
};

constexpr ReportField k_log_fields[] = {
    {".time", time, "", "when the node received the line, to the nanosecond"},
    {".job", text, "`-l` chose the jobs", "the job's name"},
    {".replica", text, "", "worker-1"},
    {".rank", number, "it has one", "in the training world"},
    {".container", text, "", "name of the container"},
    {".attempt", number, "",
     "1 for the first run of the replica's container, 2 after a restart, …"},
    {".partial", truth, "it is true", "the line continues in the next record, or its end was lost"},
    {".line", text, "", "without its line end; U+FFFD replaces invalid UTF-8"},
};

constexpr std::string_view k_job = "jobs are shown";
constexpr std::string_view k_nodes = "nodes are shown";
constexpr std::string_view k_measured = "the metrics API knows it";
constexpr std::string_view k_listed = "the nodes may be listed";

constexpr ReportField k_usage_fields[] = {
    {".apiVersion", text, "", "trainctl/v1"},
    {".kind", text, "", "JobUsageList, or NodeUsageList for `top --nodes`"},
    {".metrics", text, "", "answer of the metrics API: served, notServed or failed"},
    {".podsOf", text, "`top --nodes` may not list all pods",
     "the only namespace whose pods are counted"},
    {".items", list, "", "in the order of the table"},
    {".items[*].name", text, "", "of the job or node"},
    {".items[*].namespace", text, k_job, "of the job"},
    {".items[*].jobKind", text, k_job, "PyTorchJob, TFJob, …"},
    {".items[*].phase", text, k_job, "as in a report"},
    {".items[*].pods", object, k_job, "counts of the job's pods"},
    {".items[*].pods.wanted", number, k_job, "its number of replicas"},
    {".items[*].pods.running", number, k_job, "pods that run"},
    {".items[*].pods.measured", number, k_job, "pods whose usage is known"},
    {".items[*].ready", truth, k_listed, "the node is ready"},
    {".items[*].cordoned", truth, k_listed, "the node takes no new pods"},
    {".items[*].gpus", object, k_known, "GPUs of all kinds"},
    {".items[*].gpus.requested", number, k_known, "by the present pods"},
    {".items[*].gpus.allocatable", number, k_nodes, "what the node offers"},
    {".items[*].cpu", object, k_known, "cores, as decimal numbers"},
    {".items[*].cpu.requested", number, k_known, "by the present pods"},
    {".items[*].cpu.used", number, k_measured, "by the present pods, or on the node"},
    {".items[*].cpu.allocatable", number, k_nodes, "what the node offers"},
    {".items[*].memory", object, k_known, "bytes"},
    {".items[*].memory.requested", number, k_known, "by the present pods"},
    {".items[*].memory.used", number, k_measured, "by the present pods, or on the node"},
    {".items[*].memory.allocatable", number, k_nodes, "what the node offers"},
    {".items[*].replicas", list, k_job, "in the order of their ranks"},
    {".items[*].replicas[*].name", text, "", "worker-1"},
    {".items[*].replicas[*].state", text, "", "as in a report"},
    {".items[*].replicas[*].node", text, "it is placed", "name of its node"},
    {".items[*].replicas[*].restarts", number, k_known, "how often its container was restarted"},
    {".items[*].replicas[*].gpus", object, "", "GPUs of all kinds"},
    {".items[*].replicas[*].gpus.requested", number, "", "by its pod"},
    {".items[*].replicas[*].cpu", object, "", "cores"},
    {".items[*].replicas[*].cpu.requested", number, "", "by its pod"},
    {".items[*].replicas[*].cpu.used", number, k_measured, "by its pod"},
    {".items[*].replicas[*].memory", object, "", "bytes"},
    {".items[*].replicas[*].memory.requested", number, "", "by its pod"},
    {".items[*].replicas[*].memory.used", number, k_measured, "by its pod"},
};

constexpr std::array<std::string_view, 6> k_type_names = {"text", "number", "true or false",
                                                          "time", "list",   "object"};

}  // namespace

std::string_view type_name(FieldType type) {
  return k_type_names[static_cast<std::size_t>(type)];
}

std::span<const ReportField> report_fields() {
  return k_report_fields;
}

std::span<const ReportField> log_fields() {
  return k_log_fields;
}

std::span<const ReportField> usage_fields() {
  return k_usage_fields;
}

}  // namespace trainctl::view
