// Reads the labels, the mlPolicy and the JobSet template of a runtime.
#include "job/trainer/runtime_facts.h"

#include "base/text/text.h"
#include "job/manifest/manifest.h"
#include "job/trainer/framework.h"
#include "job/trainer/train_job.h"
#include "kube/object/metadata.h"

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

}  // namespace trainctl::job
