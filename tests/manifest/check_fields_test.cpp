// Misspelled fields are refused with the right spelling; what may be newer than trainctl never is.
#include "manifest/check_fields.h"

#include <set>

#include <doctest/doctest.h>

#include "manifest/check.h"
#include "manifest/rendering.h"
#include "manifest/schema.h"
#include "manifest/warnings.h"

namespace check_fields_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::kind;
using trainctl::testing::rendered;
using trainctl::testing::yaml;

const std::string k_worker = "/spec/pytorchReplicaSpecs/Worker";
const std::string k_pod = k_worker + "/template/spec";

Json job_with(std::string_view pointer) {
  Json manifest = rendered({"pytorch", {"--name=x"}});
  set_at(manifest, pointer, yaml("{}"));
  return manifest;
}

// "PATH: FAULT (HINT)" of a good manifest with one more field; "" when it is let through.
std::string refusal_of(std::string_view pointer) {
  const Status status = check_manifest(kind("pytorch"), job_with(pointer));
  return status ? "" : cat(status.error().message, " (", status.error().hint, ")");
}

std::vector<std::string> warnings_of(std::string_view pointer) {
  return manifest_warnings(kind("pytorch"), job_with(pointer));
}

TEST_CASE("fields that a TrainJob does not have are told as those of other jobs are") {
  Json job = yaml("{spec: {runtimeRef: {name: a}, trainer: {numNodes: 2}}}");
  const auto faults = [&job](std::string_view pointer, std::string_view value) {
    Json changed = job;
    set_at(changed, pointer, yaml(value));
    const Status status = check_fields("TrainJob", changed);
    return status ? "" : status.error().message;
  };
  CHECK(faults("/spec/trainer/env", "{A: b}") == "spec.trainer.env: must be a list");
  CHECK(faults("/spec/trainer/numNode", "2") == "spec.trainer.numNode: there is no such field");
  set_at(job, "/spec/datasetConfig", yaml("{storageUri: 'hf://a/b'}"));
  set_at(job, "/spec/trainer/replicas", 2);
  std::vector<std::string> unknown;
  for (const UnknownField& field : unknown_fields("TrainJob", job)) {
    unknown.push_back(field.pointer);
  }
  CHECK(unknown == std::vector<std::string>{"/spec/trainer/replicas", "/spec/datasetConfig"});
}

TEST_CASE("a misspelled field is refused before anything is sent, with what was meant") {
  const struct {
    std::string pointer, expected;
  } rows[] = {
      {"/spec/runPolicy/backofLimit",
       "spec.runPolicy.backofLimit: there is no such field (write backoffLimit)"},
      {"/spec/pytorchReplicaSpec",
       "spec.pytorchReplicaSpec: there is no such field (write pytorchReplicaSpecs)"},
      {"/spec/elasticPolicy/mnReplicas",
       "spec.elasticPolicy.mnReplicas: there is no such field (write minReplicas)"},
      {"/metadata/lables", "metadata.lables: there is no such field (write labels)"},
      {k_worker + "/replica",
       "spec.pytorchReplicaSpecs.Worker.replica: there is no such field (write replicas)"},
      {k_pod + "/nodeSelecter",
       "spec.pytorchReplicaSpecs.Worker.template.spec.nodeSelecter: there is no such field "
       "(write nodeSelector)"},
      {k_pod + "/containers/0/ImagepullPolicy",
       "spec.pytorchReplicaSpecs.Worker.template.spec.containers.0.ImagepullPolicy: there is no "
       "such field (write imagePullPolicy)"},
      {k_pod + "/affinity/nodeAfinity",
       "spec.pytorchReplicaSpecs.Worker.template.spec.affinity.nodeAfinity: there is no such field "
       "(write nodeAffinity)"},
  };
  for (const auto& row : rows) CHECK(refusal_of(row.pointer) == row.expected);
}

TEST_CASE("a text where a list or fields must be is refused, and so is the contrary") {
  const std::string command = k_pod + "/containers/0/command";
  const struct {
    std::string pointer;
    std::string_view value, expected;
  } rows[] = {
      {command, "'[1,2'", "must be a list (--set POINTER/0=VALUE, or as JSON: =[…])"},
      {command, "{a: b}", "must be a list (--set POINTER/0=VALUE, or as JSON: =[…])"},
      {"/spec/runPolicy", "'{suspend: true'",
       "must hold fields (--set POINTER/FIELD=VALUE, or as JSON: ={\"FIELD\": …})"},
      {k_pod + "/nodeSelector", "[zone]",
       "must hold fields (--set POINTER/FIELD=VALUE, or as JSON: ={\"FIELD\": …})"},
      {k_pod + "/schedulerName", "[default]", "must be a single value ()"},
      {k_pod + "/hostNetwork", "{on: true}", "must be a single value ()"},
      {"/metadata/annotations/x", "'[1,2'", ""},
      {command, "[a]", ""},
      {k_pod + "/nodeSelector", "{zone: a}", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.pointer);
    Json manifest = rendered({"pytorch", {"--name=x"}});
    set_at(manifest, row.pointer, yaml(row.value));
    const Status status = check_fields("PyTorchJob", manifest);
    std::string said = status ? "" : cat(status.error().message, " (", status.error().hint, ")");
    if (!status) said = said.substr(said.find(": ") + 2);
    if (const auto at = said.find(row.pointer); at != std::string::npos) {
      said.replace(at, row.pointer.size(), "POINTER");
    }
    CHECK(said == row.expected);
  }
}

TEST_CASE("a field that resembles none is warned of and sent") {
  for (const std::string& pointer : {std::string("/spec/elasticity"), k_pod + "/workloadRef",
                                     k_pod + "/containers/0/checkpoint"}) {
    CAPTURE(pointer);
    CHECK(refusal_of(pointer) == "");
    const auto warnings = warnings_of(pointer);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find(" is a field unknown to trainctl: ") != std::string::npos);
  }
}

TEST_CASE("a key as long as a book does not make the message one") {
  const std::string key(100'000, 'k');
  const Json deep{{"metadata", {{"labels", {{key, Json::object()}}}}}};
  const Status fields = check_fields("PyTorchJob", deep);
  REQUIRE_FALSE(fields);
  CHECK(fields.error().message.starts_with("metadata.labels.kkk"));
  CHECK(fields.error().message.size() < 500);
  CHECK(fields.error().hint.size() < 500);
  const Status labels = check_metadata(Json{{"metadata", {{"labels", {{"a", key}}}}}}, "/metadata");
  REQUIRE_FALSE(labels);
  CHECK(labels.error().message.size() < 500);
}

TEST_CASE("keys that are the user's own are nobody's typing errors") {
  for (const std::string& pointer :
       {std::string("/metadata/labels/nam"), std::string("/metadata/annotations/lables"),
        k_pod + "/nodeSelector/zon"}) {
    CHECK(unknown_fields("PyTorchJob", job_with(pointer)).empty());
  }
}

TEST_CASE("a stored job as kubectl prints it has no unknown field") {
  Json job = rendered({"pytorch", {"--name=x"}});
  set_at(job, "/metadata/managedFields",
         yaml("[{manager: trainctl, operation: Update, fieldsV1: {\"f:spec\": {}}}]"));
  set_at(job, "/metadata/creationTimestamp", "2026-01-02T03:00:00Z");
  set_at(job, "/status", yaml("{conditions: [{type: Created, status: 'True'}]}"));
  CHECK(unknown_fields("PyTorchJob", job).empty());
}

TEST_CASE("templates and all their roles have fields of the schema alone") {
  for (const Kind& each : operator_kinds()) {
    CHECK(unknown_fields(each.resource.kind, rendered({std::string(each.alias), {"--name=x"}}))
              .empty());
  }
}

// All objects below a shape, each once.
void collect(const Shape& shape, std::set<const ObjectShape*>& objects) {
  if (shape.element != nullptr) return collect(*shape.element, objects);
  if (shape.object == nullptr || !objects.insert(shape.object).second) return;
  for (const FieldShape& field : shape.object->fields) collect(field.shape, objects);
}

std::set<std::string> neighbours_in(const ObjectShape& object) {
  std::set<std::string> alike;
  for (const FieldShape& field : object.fields) {
    for (const FieldShape& other : object.fields) {
      const bool are = field.name < other.name &&
                       (resembles(field.name, other.name) || resembles(other.name, field.name));
      if (are) alike.insert(cat(field.name, '~', other.name));
    }
  }
  return alike;
}

// Each field was new once. A trainctl that did not know it must not have refused it.
TEST_CASE("hardly a field that the API has got would have passed for a misspelling of another") {
  std::set<const ObjectShape*> objects;
  for (const Kind& each : operator_kinds()) {
    Shape job;
    job.form = Form::object;
    job.object = schema().find(each.resource.kind);
    if (job.object == nullptr) continue;
    collect(job, objects);
  }
  CHECK(objects.size() > 100);
  std::set<std::string> alike;
  for (const ObjectShape* object : objects) alike.merge(neighbours_in(*object));
  // Those of each pair came together.
  CHECK(alike == std::set<std::string>{"maxReplicas~minReplicas", "nodeAffinity~podAffinity",
                                       "rdzvHost~rdzvPort"});
}

}  // namespace check_fields_test
