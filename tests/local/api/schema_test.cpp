// Admission: what strict decoding and the schema refuse, in the words a real server was heard to
// use.
#include "job/manifest/schema.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "job/kind/kind.h"
#include "job/manifest/templates.h"
#include "local/api/admitting.h"
#include "local/operator/kind.h"
#include "support/case_file.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing::local_objects;

const std::string k_master = "/spec/pytorchReplicaSpecs/Master";
const std::string k_worker = "/spec/pytorchReplicaSpecs/Worker";
const std::string k_container = k_master + "/template/spec/containers/0";

const std::string k_strict =
    "400 BadRequest: PyTorchJob in version \"v1\" cannot be handled as a PyTorchJob: strict "
    "decoding error: ";
const std::string k_unchecked =
    "<nil>: Invalid value: null: some validation rules were not checked because the object was "
    "invalid; correct the existing errors to complete validation";

std::string invalid_job(const std::string& faults) {
  return "422 Invalid: PyTorchJob.kubeflow.org \"ok\" is invalid: " + faults;
}

std::string wrong_type(const std::string& path, const std::string& wanted, const std::string& is) {
  return cat(path, ": Invalid value: \"", is, "\": ", path, " in body must be of type ", wanted,
             ": \"", is, "\"");
}

std::string verdict_of(const std::vector<Setting>& changes) {
  return verdict(ask(pytorch_job(changes)));
}

// A generated name is there before an object is admitted.
Json with_name(Json manifest) {
  if (text_at(manifest, "/metadata/name").empty()) set_at(manifest, "/metadata/name", "made-up");
  return manifest;
}

std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_CASE("every served kind has a shape, or none of its objects could be created") {
  CHECK(served_resources().size() == 15);
  for (const ServedResource& resource : served_resources()) {
    CAPTURE(resource.resource.kind);
    const job::ObjectShape* shape = job::schema().find(resource.resource.kind);
    REQUIRE(shape != nullptr);
    CHECK(shape->field("metadata") != nullptr);
  }
}

TEST_CASE("a schema that cannot be read is refused with the word that is wrong") {
  const auto read = [](std::string_view text) {
    const EmbeddedFile file{"x.txt", text};
    auto schema = job::Schema::read(std::span(&file, 1));
    return schema ? std::string("read") : schema.error().message;
  };
  CHECK(read("A name! b:[]int32 c:{}A d:[=]string e:bool=false\n    f:[x,y]A\n") == "read");
  CHECK(read("A b:Missing\n").find("Missing") != std::string::npos);
  CHECK(read("A b:[x\n").find("[x") != std::string::npos);
  CHECK(read("A b\nA c\n").find("\"A\"") != std::string::npos);
  CHECK(read("A b:bool=maybe\n").find("not JSON") != std::string::npos);
}

TEST_CASE("a misspelt field is refused with its path, as a real server words it") {
  CHECK(verdict_of({{"/spec/zz", "1"},
                    {"/spec/cleanPodPolicy", "\"All\""},
                    {k_container + "/imag", "\"x\""}}) ==
        k_strict +
            "unknown field \"spec.cleanPodPolicy\", unknown field "
            "\"spec.pytorchReplicaSpecs.Master.template.spec.containers[0].imag\", unknown field "
            "\"spec.zz\"");
  CHECK(verdict_of({{k_container + "/ImagePullPolicy", "\"Always\""}}) ==
        k_strict +
            "unknown field "
            "\"spec.pytorchReplicaSpecs.Master.template.spec.containers[0].ImagePullPolicy\"");
  CHECK(
      verdict_of({{k_master + "/template/metadata/creationTimestamp", "null"}}) ==
      k_strict +
          "unknown field \"spec.pytorchReplicaSpecs.Master.template.metadata.creationTimestamp\"");
  CHECK(verdict_of({{"/metadata/creationTimestamp", "null"}, {"/status", "{}"}}) == "admitted");
  CHECK(verdict_of({{"/metadata/lables", "{}"}, {"/extra", "1"}}) ==
        k_strict + "unknown field \"metadata.lables\", unknown field \"extra\"");
  CHECK(verdict_of({{k_master + "/template/spec/containers", R"({"name":"pytorch"})"}}) ==
        k_strict +
            "unknown field \"spec.pytorchReplicaSpecs.Master.template.spec.containers.name\"");
  const std::string twice = "spec.pytorchReplicaSpecs.Master.replicas";
  CHECK(verdict(ask(pytorch_job(), nullptr, FieldValidation::strict, {twice})) ==
        k_strict + "duplicate field \"" + twice + "\"");
}

TEST_CASE("without strict validation a misspelt field is pruned, with a warning or silently") {
  const Json job = pytorch_job({{"/spec/zz", "1"}, {k_master + "/template/spec/x", "{}"}});
  const Admitted warned = admitted(job, nullptr, FieldValidation::warn);
  CHECK(warned.warnings == std::vector<std::string>{
                               "unknown field \"spec.pytorchReplicaSpecs.Master.template.spec.x\"",
                               "unknown field \"spec.zz\""});
  const Admitted ignored = admitted(job, nullptr, FieldValidation::ignore);
  CHECK(ignored.warnings.empty());
  CHECK(ignored.object == warned.object);
  CHECK(find(ignored.object, "/spec/zz") == nullptr);
}

TEST_CASE("values the schema does not take are refused as a real server refuses them") {
  const std::string replicas = "spec.pytorchReplicaSpecs.Master.replicas";
  const std::string container = "spec.pytorchReplicaSpecs.Master.template.spec.containers[0]";
  const std::string cpu = container + ".resources.limits.cpu";
  struct Row {
    std::vector<Setting> changes;
    std::string expected;
  };
  const std::string nil = ", " + k_unchecked + "]";
  const Row rows[] = {
      {{{"/spec", "{}"}}, invalid_job("[spec.pytorchReplicaSpecs: Required value" + nil)},
      {{{k_master + "/replicas", "\"x\""}},
       invalid_job("[" + wrong_type(replicas, "integer", "string") + nil)},
      {{{k_master + "/replicas", "1.5"}},
       invalid_job("[" + wrong_type(replicas, "integer", "number") + nil)},
      {{{k_container + "/env", R"([{"name":"A","value":1}])"}},
       invalid_job("[" + wrong_type(container + ".env[0].value", "string", "integer") + nil)},
      {{{"/spec/nprocPerNode", "2"}},
       invalid_job("[" + wrong_type("spec.nprocPerNode", "string", "integer") + nil)},
      {{{k_container + "/resources", R"({"limits":{"cpu":"abc"}})"}},
       invalid_job(cpu + ": Invalid value: \"abc\": " + cpu +
                   R"( in body should match '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i))"
                   R"(|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$')")},
      {{{k_container + "/resources", R"({"limits":{"cpu":0.5}})"}},
       invalid_job("[" + wrong_type(cpu, "integer,string", "number") +
                   ", <nil>: Invalid value: \"\": \"" + cpu +
                   "\" must validate at least one schema (anyOf), " +
                   wrong_type(cpu, "integer", "number") + nil)},
      {{{k_master + "/template/spec/containers/-", R"({"name":"pytorch","image":"b"})"}},
       invalid_job("spec.pytorchReplicaSpecs[Master].template.spec.containers[1]: Duplicate "
                   "value: {\"name\":\"pytorch\"}")},
      {{{k_worker + "/replicas", "-1"}},
       invalid_job(".spec.pytorchReplicaSpecs.Worker.replicas: Invalid value: -1: should be a "
                   "non-negative integer")},
      {{{k_container + "/env", "[2.0]"}},
       invalid_job("[" + wrong_type(container + ".env[0]", "object", "number") +
                   ", spec.pytorchReplicaSpecs[Master].template.spec.containers[0].env[0]: Invalid "
                   "value: 2: must be an object for an array of list-type map" +
                   nil)},
      {{{k_container + "/env", "[null]"}},
       invalid_job("[" + wrong_type(container + ".env[0]", "object", "null") + nil)},
      {{{k_worker + "/replicas", "\"x\""}},
       invalid_job("[" +
                   wrong_type("spec.pytorchReplicaSpecs.Worker.replicas", "integer", "string") +
                   ", .spec.pytorchReplicaSpecs.Worker.replicas: Invalid value: 0: "
                   ".spec.pytorchReplicaSpecs.Worker.replicas accessor error: x is of the type "
                   "string, expected int64" +
                   nil)},
  };
  for (const Row& row : rows) CHECK(verdict_of(row.changes) == row.expected);
  for (const char* bad : {"\"1 Gi\"", "\"1gi\"", "\"1KB\"", "\"\"", "\"1e\"", "\".\""}) {
    CAPTURE(bad);
    const Setting change{k_container + "/resources/limits/memory", bad};
    CHECK(verdict_of({change}).find("limits.memory in body should match") != std::string::npos);
  }
  for (const char* good : {"\"-1\"", "\"1e3\"", "\"1500m\"", "1", "\"1Gi\"", "\".5\"", "\"1.\""}) {
    CAPTURE(good);
    CHECK(verdict_of({{k_container + "/resources/limits/memory", good}}) == "admitted");
  }
}

TEST_CASE("what a real server takes is taken, however wrong it will turn out") {
  const std::vector<Setting> rows[] = {
      {{"/spec/pytorchReplicaSpecs", "{}"}},
      {{k_master + "/restartPolicy", "\"Foo\""}},
      {{k_container + "/imagePullPolicy", "\"Sometimes\""}},
      {{"/spec/nprocPerNode", "\"banana\""}},
      {{k_master + "/template/metadata/labels", R"({"a":"b c"})"}},
      {{k_worker, ""}},
      {{k_master + "/replicas", "1.0"}},
      {{k_master, "null"}},
      {{"/spec/runPolicy", R"({"ttlSecondsAfterFinished":-5,"cleanPodPolicy":"none"})"}},
  };
  for (const std::vector<Setting>& changes : rows) CHECK(verdict_of(changes) == "admitted");
}

TEST_CASE("names, labels and annotations are judged before the webhook sees the job") {
  const auto name_row = [](const std::string& name) {
    return verdict_of({{"/metadata/name", dump(Json(name))}});
  };
  CHECK(name_row("A_B") ==
        "422 Invalid: PyTorchJob.kubeflow.org \"A_B\" is invalid: metadata.name: Invalid value: "
        "\"A_B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
        "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
        "'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  CHECK(name_row(std::string(254, 'a')).find("must be no more than 253 characters") !=
        std::string::npos);
  CHECK(verdict_of({{"/metadata/name", ""}}) ==
        "422 Invalid: PyTorchJob.kubeflow.org \"\" is invalid: [metadata.name: Required value: "
        "name or generateName is required, " +
            k_unchecked + "]");
  CHECK(verdict_of({{"/metadata/labels", R"({"a":"b c"})"}}) ==
        invalid_job("metadata.labels: Invalid value: \"b c\": a valid label must be an empty "
                    "string or consist of alphanumeric characters, '-', '_' or '.', and must "
                    "start and end with an alphanumeric character (e.g. 'MyValue',  or "
                    "'my_value',  or '12345', regex used for validation is "
                    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
  CHECK(verdict_of({{"/metadata/annotations", R"({"a b":"c"})"}})
            .starts_with(invalid_job("metadata.annotations: Invalid value: \"a b\": name part "
                                     "must consist of alphanumeric characters")));
  const Json large = {{"note", std::string(256 * 1024, 'x')}};
  CHECK(verdict_of({{"/metadata/annotations", dump(large)}}) ==
        invalid_job("[metadata.annotations: Too long: may not be more than 262144 bytes, " +
                    k_unchecked + "]"));
}

TEST_CASE("metadata of a wrong type cannot be decoded") {
  CHECK(verdict_of({{"/metadata/labels", R"({"a":1})"}}) ==
        "400 BadRequest: PyTorchJob in version \"v1\" cannot be handled as a PyTorchJob: json: "
        "cannot unmarshal number into Go struct field ObjectMeta.labels of type string");
}

TEST_CASE("the defaults that a real server shows appear, and no others") {
  const Admitted job = admitted(pytorch_job(
      {{"/spec/runPolicy", "{}"},
       {k_container + "/ports", R"([{"containerPort":80}])"},
       {k_container + "/env", R"([{"name":"A","valueFrom":{"secretKeyRef":{"key":"k"}}}])"},
       {k_worker + "/replicas", "null"}}));
  CHECK(*find(job.object, "/spec/runPolicy") == Json({{"suspend", false}}));
  CHECK(text_at(job.object, k_container + "/ports/0/protocol") == "TCP");
  const Json* key = find(job.object, k_container + "/env/0/valueFrom/secretKeyRef/name");
  REQUIRE(key != nullptr);
  CHECK(*key == "");
  CHECK(find(job.object, k_worker + "/replicas") == nullptr);
  CHECK(admitted(pytorch_job()).object == pytorch_job());
}

TEST_CASE("a queue that is set cannot be changed, only added or taken away") {
  const Json one = pytorch_job({{"/spec/runPolicy/schedulingPolicy/queue", "\"a\""}});
  const Json other = pytorch_job({{"/spec/runPolicy/schedulingPolicy/queue", "\"b\""}});
  const Json none = pytorch_job();
  CHECK(verdict(ask(other, &one)) ==
        invalid_job("spec.runPolicy.schedulingPolicy.queue: Invalid value: \"string\": "
                    "spec.runPolicy.schedulingPolicy.queue is immutable"));
  CHECK(verdict(ask(one, &none)) == "admitted");
  CHECK(verdict(ask(none, &one)) == "admitted");
}

TEST_CASE("every built-in template and every manifest of the golden cases is admitted") {
  for (const job::Kind& kind : job::operator_kinds()) {
    CAPTURE(kind.alias);
    CHECK(verdict(ask(with_name(from_text(job::embedded_template(kind))))) == "admitted");
  }
  const std::filesystem::path cases =
      std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "cases";
  int jobs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cases)) {
    if (entry.path().extension() != ".case") continue;
    const auto file = testing::CaseFile::read(file_text(entry.path()));
    REQUIRE(file);
    const auto documents = from_yaml_stream(file->text("stdout"), "stdout");
    if (!documents) continue;
    for (const Json& document : *documents) {
      const job::Kind* kind = document.is_object() ? job::kind_of(document) : nullptr;
      if (kind == nullptr || find_controller_rules(*kind) == nullptr) continue;
      if (find(document, "/metadata/uid") != nullptr || find(document, "/spec") == nullptr)
        continue;
      CAPTURE(entry.path().string());
      CHECK(verdict(ask(with_name(document))) == "admitted");
      ++jobs;
    }
  }
  CHECK(jobs > 5);
}

TEST_CASE("a finalizer without a domain is taken with a warning, once") {
  const Json job = pytorch_job({{"/metadata/finalizers", R"(["x", "a.b/c", "orphan"])"}});
  const std::string warning =
      "metadata.finalizers: \"x\": prefer a domain-qualified finalizer name to avoid accidental "
      "conflicts with other finalizer writers";
  CHECK(admitted(job).warnings == std::vector<std::string>{warning});
  CHECK(admitted(job, &job).warnings.empty());
}

}  // namespace TEST_FILE
