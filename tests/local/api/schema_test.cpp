// The schema of the served kinds, and what it takes.
#include "manifest/schema.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "local/api/admitting.h"
#include "manifest/kind/kind.h"
#include "manifest/templates.h"
#include "support/case_file.h"

namespace schema_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing::local_objects;

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
  CHECK(read("A name! b:[]int32 c:{}A d:[]string e:bool=false\n    f:[]A\n") == "read");
  CHECK(read("A b:Missing\n").find("Missing") != std::string::npos);
  CHECK(read("A b:[x\n").find("[x") != std::string::npos);
  CHECK(read("A b\nA c\n").find("\"A\"") != std::string::npos);
  CHECK(read("A b:bool=maybe\n").find("not JSON") != std::string::npos);
}

TEST_CASE("a job gets the defaults of its schema, and what does not fit it is refused") {
  const std::string container = "/spec/pytorchReplicaSpecs/Master/template/spec/containers/0";
  const Json job = admitted(pytorch_job({{"/spec/runPolicy", "{}"},
                                         {container + "/ports", R"([{"containerPort":80}])"},
                                         {"/spec/nprocPerNode", "null"}}));
  CHECK(*find(job, "/spec/runPolicy") == Json({{"suspend", false}}));
  CHECK(text_at(job, container + "/ports/0/protocol") == "TCP");
  CHECK(find(job, "/spec/nprocPerNode") == nullptr);
  CHECK(admitted(pytorch_job()) == pytorch_job());
  const std::string invalid = "422: PyTorchJob.kubeflow.org \"ok\" is invalid: ";
  CHECK(verdict(ask(pytorch_job({{"/spec", "{}"}}))) ==
        invalid + "spec.pytorchReplicaSpecs: Required");
  CHECK(verdict(ask(pytorch_job({{"/metadata/labels", R"({"a":1})"}}))) ==
        invalid + "metadata.labels.a: Invalid value");
  CHECK(verdict(ask(pytorch_job({{"/spec/zz", "1"}, {container + "/env", "[null]"}}))) ==
        "422: PyTorchJob.kubeflow.org \"ok\" is invalid: "
        "[spec.pytorchReplicaSpecs.Master.template.spec.containers[0].env[0]: Invalid value, "
        "spec.zz: unknown field]");
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
    // Fields left out of an output are in the example that it is compared with.
    const std::string shown = file->text("stdout");
    const bool is_whole = shown.find("[...]\n") == std::string::npos;
    const std::string text = is_whole ? shown : file->text("files/original.yaml");
    const auto documents = from_yaml_stream(text, "manifest");
    if (!documents) continue;
    for (const Json& document : *documents) {
      const job::Kind* kind = document.is_object() ? job::kind_of(document) : nullptr;
      if (kind == nullptr || kind->operated == nullptr) continue;
      if (find(document, "/metadata/uid") != nullptr || find(document, "/spec") == nullptr)
        continue;
      CAPTURE(entry.path().string());
      CHECK(verdict(ask(with_name(document))) == "admitted");
      ++jobs;
    }
  }
  CHECK(jobs > 5);
}

}  // namespace schema_test
