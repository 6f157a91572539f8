// Code in config maps: cut into pieces that join to the archive again, recorded in the job.
#include "manifest/code.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "base/value/yaml.h"
#include "kube/object/metadata.h"

namespace trainctl::testing {
namespace code_test {

job::PackedCode packed(std::size_t size) {
  return {cat("0123456789abcdef", std::string(48, '0')), size, 3, {}, ""};
}

TEST_CASE("18: the pieces of an archive are those of its config maps, in order") {
  for (const std::size_t size : {1, 999'999, 1'000'000, 1'000'001, 8'388'608}) {
    CAPTURE(size);
    std::string archive(size, 'a');
    archive.back() = 'z';
    const auto maps = job::code_maps(packed(size), archive, "Ada L");
    CHECK(maps.size() == (size + 999'999) / 1'000'000);
    std::string joined;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const Json& object = maps[i].object;
      CHECK(maps[i].name() == cat("trainctl-code-0123456789ab-", i + 1));
      CHECK(maps[i].sharing == job::Sharing::by_content);
      CHECK(true_at(object, "/immutable"));
      CHECK(text_at(object, kube::label_pointer(job::k_label_code)) == "0123456789ab");
      CHECK(text_at(object, kube::label_pointer("trainctl/owner")) == "Ada-L");
      joined += *base64_decode(text_at(object, cat("/binaryData/part-", i + 1)));
    }
    CHECK(joined == archive);
    auto checked = maps;
    CHECK(job::complete_companions(checked, "team"));
  }
}

TEST_CASE("a claim of code is named with a directory that cannot lead out of it") {
  const auto words = [](const char* text) {
    const auto claim = job::parse_code_claim(text);
    return claim ? cat(claim->words(), " ", claim->archives()) : claim.error().message;
  };
  CHECK(words("data") == "data .trainctl/code");
  CHECK(words("data:/team//a/./b/") == "data:team/a/b team/a/b/.trainctl/code");
  CHECK(words("data:a/../b") == "'data:a/../b' has '..' in its path");
  CHECK_FALSE(job::parse_code_claim(""));
  CHECK_FALSE(job::parse_code_claim("Data:a"));
}

TEST_CASE("another run with its code in another place keeps nothing of the first place") {
  auto job = from_yaml(
      "{kind: PyTorchJob, spec: {pytorchReplicaSpecs: {Worker: {template: {spec: {containers: "
      "[{name: pytorch, image: a}]}}}}}}",
      "job");
  REQUIRE(job);
  const job::Kind& kind = *job::find_kind("pytorch");
  const auto put = [&](const job::CodeClaim& claim) {
    job::PackedCode code = packed(5);
    code.claim = claim;
    REQUIRE(job::mount_code(kind, code, *job));
    REQUIRE(job::unpack_code(kind, code, *job));
  };
  const std::string pod = "/spec/pytorchReplicaSpecs/Worker/template/spec";
  put({"", ""});
  const Json with_maps = *job;
  put({"data", ""});
  CHECK(text_at(*job, pod + "/volumes/1/persistentVolumeClaim/claimName") == "data");
  CHECK(find(*job, pod + "/volumes/1/projected") == nullptr);
  CHECK(text_at(*job, pod + "/initContainers/0/volumeMounts/0/subPath") == ".trainctl/code");
  CHECK(true_at(*job, pod + "/initContainers/0/volumeMounts/0/readOnly"));
  put({"", ""});
  CHECK(*job == with_maps);
}

TEST_CASE("18: a job says which code it runs, with what differs from the commit") {
  auto job = from_yaml(
      "{kind: PyTorchJob, spec: {pytorchReplicaSpecs: {Worker: {template: {spec: {containers: "
      "[{name: pytorch, image: a}]}}}}}}",
      "job");
  REQUIRE(job);
  CHECK(job::code_of(*job).is_null());
  CHECK(job::code_words(*job).empty());
  job::PackedCode code = packed(5);
  const job::Kind& kind = *job::find_kind("pytorch");
  REQUIRE(job::mount_code(kind, code, *job));
  CHECK(job::code_words(*job) == "sha256:0123456789ab, 3 files");
  code.revision = {"fedcba9876543210", {"train.py"}, {"new\x1b.py"}};
  REQUIRE(job::mount_code(kind, code, *job));
  CHECK(job::code_words(*job) ==
        "sha256:0123456789ab, 3 files, commit fedcba987654 and 2 changed files (train.py, "
        "new?.py)");
  CHECK(int_at(job::code_of(*job), "/changed") == 2);
  code.claim = {"data", "team"};
  REQUIRE(job::mount_code(kind, code, *job));
  CHECK(job::code_words(*job).starts_with(
      "sha256:0123456789ab, 3 files, in claim data:team, commit"));
  code.revision.changed.assign(30, "x");
  REQUIRE(job::mount_code(kind, code, *job));
  CHECK(array_at(job::code_of(*job), "/changedFiles").size() == 20);
  CHECK(job::code_words(*job).ends_with("x, …)"));
  set_at(*job, kube::annotation_pointer(job::k_label_code), "[1]");
  CHECK(job::code_of(*job).is_null());
}

}  // namespace code_test
}  // namespace trainctl::testing
