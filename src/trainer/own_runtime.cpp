// Lays the job's pod template into a JobSet as Trainer's bundled runtimes do.
#include "trainer/own_runtime.h"

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/manifest.h"
#include "manifest/merge.h"
#include "trainer/framework.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_label_support = "trainer.kubeflow.org/support";

std::string label_of(const Json& object, std::string_view label) {
  return text_at(object, kube::label_pointer(label));
}

std::string command_words(const Json& container) {
  std::vector<std::string> words;
  for (const char* part : {"/command", "/args"}) {
    for (const Json& word : array_at(container, part)) words.push_back(text_at(word, ""));
  }
  return join(words, " ");
}

// The replicated job that Trainer configures by the TrainJob: it is labelled, or the only one that
// has the name.
const Json* program_in(const Json& jobs) {
  const Json* named = nullptr;
  for (const Json& job : jobs) {
    if (label_of(object_at(job, "/template"), k_label_step) == "trainer") return &job;
    if (text_at(job, "/name") == k_node) named = &job;
  }
  return named;
}

void read_program(const Json& job, RuntimeFacts& facts) {
  facts.job = text_at(job, "/name");
  for (const Json& container : array_at(job, "/template/spec/template/spec/containers")) {
    if (text_at(container, "/name") != k_node) continue;
    facts.image = text_at(container, "/image");
    facts.command = command_words(container);
    facts.has_arguments = !array_at(container, "/args").empty();
    facts.gpus = gpus_of(container);
  }
}

}  // namespace

RuntimeFacts runtime_facts(const Json& runtime) {
  RuntimeFacts facts;
  facts.kind = text_at(runtime, "/kind");
  facts.name = text_at(runtime, "/metadata/name");
  facts.ns = text_at(runtime, "/metadata/namespace");
  facts.framework = label_of(runtime, k_label_framework);
  facts.deprecated = label_of(runtime, k_label_support) == "deprecated";
  facts.nodes = int_at(runtime, "/spec/mlPolicy/numNodes");
  const Json& jobs = array_at(runtime, "/spec/template/spec/replicatedJobs");
  for (const Json& job : jobs) facts.steps.push_back(text_at(job, "/name"));
  if (const Json* program = program_in(jobs)) read_program(*program, facts);
  return facts;
}

bool fits(const RuntimeFacts& runtime, const Kind& kind) {
  const Framework* framework = find_framework(kind);
  if (framework == nullptr) return false;
  if (kind.has_launcher() && runtime.has_launcher()) return true;
  return runtime.framework.empty() || runtime.framework == framework->policy ||
         runtime.framework == kind.alias;
}

namespace {

Json program_template(const RuntimeInput& input) {
  Json pod = input.pod.runtime_template();
  pod["spec"]["restartPolicy"] = input.lifecycle.restart_policy;
  return {
      {"metadata", {{"labels", {{k_label_step, "trainer"}}}}},
      {"spec", {{"backoffLimit", input.lifecycle.backoff_limit}, {"template", std::move(pod)}}}};
}

// Nobody says what these nodes run but the runtime. A worker without a command is one that waits to
// be reached, as it is for mpi-operator.
Json worker_template(const Ssh& ssh) {
  Json pod = ssh.workers.runtime_template();
  Json container = ssh.workers.trainer;
  if (Json resources = container.value("resourcesPerNode", Json()); !resources.is_null()) {
    container["resources"] = std::move(resources);
  }
  container.erase("resourcesPerNode");
  container["name"] = k_node;
  const bool has_command = container.contains("command") || container.contains("args");
  if (!has_command) container["command"] = {"/usr/sbin/sshd", "-De"};
  strategic_merge(pod, {{"spec", {{"containers", Json::array({std::move(container)})}}}});
  pod["spec"]["restartPolicy"] = "OnFailure";
  return {{"spec", {{"template", std::move(pod)}}}};
}

// Trainer's own runtimes with a launcher are made alike (manifests/base/runtimes).
void add_launcher(const RuntimeInput& input, Json& spec) {
  const Ssh& ssh = *input.ssh;
  // It would count launchers as well; the job says how many nodes there are.
  spec["mlPolicy"] = {{"numNodes", 1},
                      {"mpi",
                       {{"numProcPerNode", ssh.processes},
                        {"mpiImplementation", "OpenMPI"},
                        {"sshAuthMountPath", ssh.key_path},
                        {"runLauncherAsNode", false}}}};
  Json& job_set = spec["template"]["spec"];
  job_set["network"]["publishNotReadyAddresses"] = true;
  job_set["successPolicy"] = {{"operator", "All"},
                              {"targetReplicatedJobs", Json::array({k_launcher})}};
  const Json after = Json::array({{{"name", k_node}, {"status", "Ready"}}});
  job_set["replicatedJobs"] = Json::array(
      {{{"name", k_node}, {"template", worker_template(ssh)}},
       {{"name", k_launcher}, {"dependsOn", after}, {"template", program_template(input)}}});
}

}  // namespace

bool needs_own_runtime(const RuntimeInput& input) {
  return input.framework.runtime.empty() || !input.lifecycle.is_default() ||
         !input.pod.needed_rest().empty();
}

Json make_runtime(const RuntimeInput& input, const std::string& name, const std::string& ns) {
  Json runtime = {{"apiVersion", k_training_runtimes.api_version()},
                  {"kind", k_training_runtimes.kind},
                  {"metadata", {{"name", name}}}};
  if (!ns.empty()) runtime["metadata"]["namespace"] = ns;
  Json& spec = runtime["spec"];
  spec["mlPolicy"]["numNodes"] = input.world.nodes;
  if (const std::string policy(input.framework.policy); !policy.empty()) {
    runtime["metadata"]["labels"][std::string(k_label_framework)] = policy;
    spec["mlPolicy"][policy] = Json::object();
  }
  Json& job_set = spec["template"]["spec"];
  if (input.lifecycle.ttl) job_set["ttlSecondsAfterFinished"] = *input.lifecycle.ttl;
  if (input.ssh) {
    add_launcher(input, spec);
    return runtime;
  }
  job_set["replicatedJobs"] =
      Json::array({{{"name", k_node}, {"template", program_template(input)}}});
  return runtime;
}

}  // namespace trainctl::job
