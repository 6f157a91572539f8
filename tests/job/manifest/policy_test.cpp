// A site's policy: what it refuses in a manifest, and which policies are none.
#include "job/manifest/policy.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "job/kind/kind.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::job;

constexpr const char* k_file = "/etc/trainctl/config.yaml";

Result<Policy> read(const std::string& text) {
  return read_policy(*from_yaml(text, "policy"), {k_file, ""});
}

// The message of a job's refusal; "" = it is allowed.
std::string refusal(const std::string& policy, const std::string& kind, const std::string& job,
                    const std::vector<Companion>& companions = {}) {
  const auto rules = read(policy);
  REQUIRE(rules);
  const Status status = check_policy(*rules, *find_kind(kind), *from_yaml(job, "job"), companions);
  return status ? "" : status.error().message;
}

std::string pod(const std::string& fields, const std::string& labels = "{}") {
  return cat("{metadata: {labels: ", labels,
             "}, spec: {pytorchReplicaSpecs: {Worker: {template: ", "{metadata: {labels: ", labels,
             "}, spec: {", fields, "}}}}}}");
}

TEST_CASE("a policy that nobody can keep, or that says nothing, is refused with its file and key") {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"[]", "policy is not a mapping"},
      {"{}", "policy is empty"},
      {"{registry: [x/]}", "policy has no key registry"},
      {"{registries: []}", "policy.registries is empty"},
      {"{registries: ghcr.io/}", "policy.registries is not a list"},
      {"{registries: [5]}", "policy.registries has an entry that is not text"},
      {"{registries: [acme]}", "policy.registries `acme` could be a namespace or an image"},
      {"{registries: ['x.io/a:1']}", "policy.registries `x.io/a:1` has a tag"},
      {"{required-labels: []}", "policy.required-labels is empty"},
      {"{required-labels: team}", "policy.required-labels is not a list"},
      {"{required-labels: [[team]]}", "policy.required-labels has an entry that is not a label"},
      {"{required-labels: ['-x']}", "policy.required-labels has the label `-x`"},
      {"{required-labels: [team: vision]}", "policy.required-labels takes a list of values"},
      {"{required-labels: [team: []]}", "policy.required-labels allows no value for team"},
      {"{required-labels: [team: [1]]}", "policy.required-labels has a value for team"},
      {"{required-labels: [team: [a b]]}", "policy.required-labels has the value `a b` for team"},
      {"{required-labels: [team, team: [a]]}", "policy.required-labels has team twice"},
  };
  for (const auto& [text, message] : faults) {
    CAPTURE(text);
    const auto policy = read(text);
    REQUIRE_FALSE(policy);
    CHECK(policy.error().code == Code::usage);
    CHECK_MESSAGE(policy.error().message.starts_with(cat(k_file, ": ", message)),
                  policy.error().message);
    CHECK_FALSE(policy.error().hint.empty());
  }
}

TEST_CASE("a fault of a policy is found by its line") {
  const std::string text =
      "namespace: team\npolicy:\n  registries: [ghcr.io/acme/]\n  required-labels: []\n";
  const Json config = *from_yaml(text, k_file);
  const auto policy = read_policy(config["policy"], {k_file, text});
  REQUIRE_FALSE(policy);
  CHECK(policy.error().message == "/etc/trainctl/config.yaml:4: policy.required-labels is empty");
}

TEST_CASE("an image from elsewhere is found wherever a pod can name one") {
  const std::string policy = "{registries: [ghcr.io/acme/]}";
  const auto refused = [&](const std::string& fields) {
    return refusal(policy, "pytorch", pod(fields));
  };
  CHECK(refused("containers: [{image: 'ghcr.io/acme/x:1'}]").empty());
  CHECK(refused("containers: [{image: 'x:1'}]") ==
        "spec.pytorchReplicaSpecs.Worker.template.spec.containers.0.image: x:1 "
        "(docker.io/library/x) is not from a registry that /etc/trainctl/config.yaml allows");
  CHECK_FALSE(refused("containers: [{image: 'ghcr.io/acme/x'}, {image: ghcr.io/evil/x}]").empty());
  CHECK_FALSE(refused("initContainers: [{image: quay.io/x}]").empty());
  CHECK_FALSE(refused("volumes: [{name: a, image: {reference: quay.io/x}}]").empty());
  CHECK(refused("volumes: [{name: image, emptyDir: {}}]").empty());
}

TEST_CASE("a job of a runtime is checked by its own image, and by the runtime beside it") {
  const std::string policy = "{registries: [ghcr.io/acme/]}";
  CHECK(refusal(policy, "trainjob", "{spec: {trainer: {image: ghcr.io/acme/x}}}").empty());
  CHECK(refusal(policy, "trainjob", "{spec: {trainer: {}}}").empty());
  CHECK(refusal(policy, "trainjob", "{spec: {trainer: {image: x}}}").starts_with("spec.trainer."));
  const Json runtime = *from_yaml(
      "{metadata: {name: own}, spec: {template: {spec: {containers: [{image: x}]}}}}", "runtime");
  CHECK(refusal(policy, "trainjob", "{}", {{k_training_runtimes, runtime}})
            .starts_with("trainingruntime/own: spec.template"));
}

TEST_CASE("a required label must be on the job and on its pods, with an allowed value") {
  const std::string policy = "{required-labels: [a.b/cost, team: [vision, speech]]}";
  const std::string whole = "{a.b/cost: '7', team: vision}";
  CHECK(refusal(policy, "pytorch", pod("containers: []", whole)).empty());
  CHECK(refusal(policy, "pytorch", pod("containers: []", "{team: vision}")) ==
        "metadata.labels: label a.b/cost is missing; /etc/trainctl/config.yaml requires it");
  CHECK(refusal(policy, "pytorch", pod("containers: []", "{a.b/cost: '7', team: sales}")) ==
        "metadata.labels: team=sales is not a value that /etc/trainctl/config.yaml allows: vision, "
        "speech");
  const std::string unlabelled =
      cat("{metadata: {labels: ", whole, "}, spec: {pytorchReplicaSpecs: {Worker: {}}}}");
  CHECK(refusal(policy, "pytorch", unlabelled)
            .starts_with("spec.pytorchReplicaSpecs.Worker.template.metadata.labels: label"));
}

}  // namespace TEST_FILE
