// Lays the job's pod template into a JobSet as Trainer's bundled runtimes do.
#include "job/trainer/own_runtime.h"

#include "base/text.h"
#include "job/trainer/runtime_facts.h"
#include "job/trainer/train_job.h"

namespace trainctl::job {

namespace {

Json job_template(const RuntimeInput& input) {
  Json pod = input.pod.runtime_template();
  pod["spec"]["restartPolicy"] = input.lifecycle.restart_policy;
  return {
      {"metadata", {{"labels", {{k_label_step, "trainer"}}}}},
      {"spec", {{"backoffLimit", input.lifecycle.backoff_limit}, {"template", std::move(pod)}}}};
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
  job_set["replicatedJobs"] = Json::array({{{"name", k_node}, {"template", job_template(input)}}});
  return runtime;
}

}  // namespace trainctl::job
