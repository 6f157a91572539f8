// The example jobs of the training operator come out of flags: each case submit/acceptance-… has
// the example in files/original.yaml, and its output is that object, once both are normalised.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "cases/golden_case.h"
#include "manifest/kind/kind.h"

namespace trainctl::testing {
namespace acceptance_test {

// A field that may be absent from an example, and that trainctl always writes.
struct Addition {
  const char* pointer;
  Json value;
};

// The values that the training operator, and for the namespace kubectl, takes where an example is
// silent.
const std::vector<Addition> k_defaults_of_job = {
    {"/metadata/namespace", "default"},
    {"/spec/runPolicy/cleanPodPolicy", "None"},
};
const std::map<std::string, const char*> k_default_restart_policies = {
    {"PyTorchJob", "OnFailure"}, {"PaddleJob", "OnFailure"}, {"TFJob", "Never"},
    {"MPIJob", "Never"},         {"XGBoostJob", "Never"},    {"JAXJob", "Never"},
};

// trainctl's templates add these; --set and overlays can change or remove them.
const std::vector<Addition> k_additions_to_job = {
    {"/metadata/labels/app.kubernetes.io~1managed-by", "trainctl"},
    {"/metadata/labels/trainctl~1owner", "ada"},
    {"/spec/runPolicy/backoffLimit", 6},
};
const std::vector<Addition> k_additions_to_replicas = {
    {"/template/metadata/annotations/sidecar.istio.io~1inject", "false"},
    {"/template/metadata/labels/sidecar.istio.io~1inject", "false"},
    {"/template/spec/containers/0/terminationMessagePolicy", "FallbackToLogsOnError"},
};

void add(Json& object, const std::vector<Addition>& additions) {
  for (const Addition& addition : additions) {
    if (find(object, addition.pointer) == nullptr) {
      set_at(object, addition.pointer, addition.value);
    }
  }
}

// trainctl gives replicas with GPUs a /dev/shm that data loaders do not overflow.
void add_shared_memory(Json& replica) {
  if (find(replica, "/template/spec/containers/0/resources/limits/nvidia.com~1gpu") == nullptr) {
    return;
  }
  const Json mount = {{"name", "dshm"}, {"mountPath", "/dev/shm"}};
  const Json volume = {{"name", "dshm"},
                       {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", "2Gi"}}}};
  add(replica, {{"/template/spec/containers/0/volumeMounts", Json::array({mount})},
                {"/template/spec/volumes", Json::array({volume})}});
}

// The replica map of a job, as the kind's row says where it is.
Json& replicas_of(Json& job) {
  for (const job::Kind& kind : job::operator_kinds()) {
    if (kind.resource.kind != text_at(job, "/kind")) continue;
    return job[Json::json_pointer(std::string(kind.replica_specs))];
  }
  throw std::runtime_error(cat("no kind ", text_at(job, "/kind")));
}

// The example with everything that trainctl writes out or adds.
Json completed(Json example) {
  add(example, k_defaults_of_job);
  add(example, k_additions_to_job);
  const char* const policy = k_default_restart_policies.at(text_at(example, "/kind"));
  for (auto& [role, replica] : replicas_of(example).items()) {
    add(replica, {{"/restartPolicy", policy}});
    add(replica, k_additions_to_replicas);
    add_shared_memory(replica);
  }
  return example;
}

// A volume's name means nothing outside of its pod: it becomes that of the place it is mounted at.
void rename_volumes(Json& replica) {
  Json* const pod = &replica["template"]["spec"];
  if (find(*pod, "/volumes") == nullptr) return;
  for (Json& volume : (*pod)["volumes"]) {
    for (Json& mount : (*pod)["containers"][0]["volumeMounts"]) {
      if (mount["name"] != volume["name"]) continue;
      volume["name"] = mount["mountPath"];
      mount["name"] = mount["mountPath"];
      break;
    }
  }
}

// `cpu: 1` and `cpu: "1"` are one quantity.
void quote_amounts(Json& replica) {
  const std::string limits = "/template/spec/containers/0/resources/limits";
  if (find(replica, limits) == nullptr) return;
  for (auto& [name, amount] : replica[Json::json_pointer(limits)].items()) {
    if (amount.is_number()) amount = dump(amount);
  }
}

// Members in the order of their names; the order of lists has a meaning and stays.
Json sorted(const Json& value) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& element : value) list.push_back(sorted(element));
    return list;
  }
  if (!value.is_object()) return value;
  std::map<std::string, Json> members;
  for (const auto& [key, member] : value.items()) members[key] = sorted(member);
  Json object = Json::object();
  for (const auto& [key, member] : members) object[key] = member;
  return object;
}

std::string normalised(Json job) {
  for (auto& [role, replica] : replicas_of(job).items()) {
    rename_volumes(replica);
    quote_amounts(replica);
  }
  return to_yaml(sorted(job));
}

Json read(const std::string& text) {
  auto value = from_yaml(text, "");
  if (!value) throw std::runtime_error(value.error().message);
  return *std::move(value);
}

std::vector<std::string> acceptance_cases() {
  auto names = case_names();
  std::erase_if(names, [](const std::string& name) {
    return !name.starts_with("submit/acceptance-") || name.ends_with("-exactly");
  });
  return names;
}

TEST_CASE("the operator's examples need no file: a submit line renders each of them") {
  const auto names = acceptance_cases();
  REQUIRE(names.size() >= 19);
  for (const std::string& name : names) {
    CAPTURE(name);
    const CaseFile file = read_case(name);
    CHECK(file.text("cmd").find("--set") == std::string::npos);
    CHECK(file.text("cmd").find("--overlay") == std::string::npos);
    CHECK(file.text("cmd").find("--template") == std::string::npos);
    const Json original = read(file.text("files/original.yaml"));
    const std::string rendered = GoldenCase(file).run().out;
    CHECK(normalised(read(rendered)) == normalised(completed(original)));
  }
}

TEST_CASE("whatever trainctl adds to a job can be removed by --set") {
  const CaseFile file = read_case("submit/acceptance-pytorch-simple-exactly");
  const std::string rendered = GoldenCase(file).run().out;
  CHECK(sorted(read(rendered)) == sorted(read(file.text("files/original.yaml"))));
}

}  // namespace acceptance_test
}  // namespace trainctl::testing
