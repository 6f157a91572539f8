// The API server's answers to reads, creations and what it does not know.
#include "local/api/api.h"

#include <doctest/doctest.h>

#include "local/api/api_server.h"

namespace api_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;

TEST_CASE("a created job comes back with what the server keeps of it") {
  ApiServer server;
  Json manifest = job_manifest("ddp");
  manifest["metadata"]["uid"] = "mine";
  manifest["status"] = {{"conditions", Json::array()}};
  const Json job = server.good(server.post(k_jobs, manifest), 201);
  CHECK(text_at(job, "/metadata/namespace") == "default");
  CHECK(text_at(job, "/metadata/uid").size() == 36);
  CHECK(text_at(job, "/metadata/creationTimestamp") == "2026-01-02T03:04:05Z");
  CHECK(int_at(job, "/metadata/generation") == 1);
  CHECK(find(job, "/status") == nullptr);
  CHECK(server.good(server.get(k_jobs + "/ddp")) == job);
}

TEST_CASE("a missing object is refused in the server's words") {
  ApiServer server;
  const ApiAnswer answer = server.get(k_jobs + "/nope");
  CHECK(answer.code == 404);
  CHECK(answer.content_type == "application/json");
  CHECK(body_of(answer) ==
        *parse_json(
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
                "message":"pytorchjobs.kubeflow.org \"nope\" not found","reason":"NotFound",
                "details":{"name":"nope","group":"kubeflow.org","kind":"pytorchjobs"},
                "code":404})",
            "text"));
  CHECK(server.refusal(server.send("DELETE", k_pods_path + "/nope"), 404) ==
        "pods \"nope\" not found");
}

TEST_CASE("paths nobody serves are a plain 404") {
  ApiServer server;
  for (const char* path :
       {"/apis/apps/v1/namespaces/default/deployments", "/apis/kubeflow.org/v2/pytorchjobs",
        "/api/v1/pods/a", "/api/v1/namespaces/default/pods/a/binding",
        "/api/v1/namespaces/default/nodes", "/nonsense", "/api/v1/namespaces/default/pods/a/b/c"}) {
    const ApiAnswer answer = server.get(path);
    CHECK_MESSAGE(answer.code == 404, path);
    CHECK(answer.body == "404 page not found\n");
    CHECK(answer.content_type.starts_with("text/plain"));
  }
}

TEST_CASE("methods that do not fit the path are refused") {
  ApiServer server;
  CHECK(server.refusal(server.send("PUT", "/api/v1/namespaces/default/pods", "{}"), 405) ==
        "the server does not allow this method on the requested resource");
  CHECK(server.send("PUT", k_jobs, "{}").code == 405);
  CHECK(server.send("POST", k_jobs + "/ddp", dump(job_manifest("ddp"))).code == 405);
  CHECK(server.send("POST", "/api/v1/pods", "{}").code == 405);
  CHECK(server.send("DELETE", "/api/v1/pods").code == 405);
  CHECK(server.send("DELETE", "/api/v1/namespaces").code == 405);
}

TEST_CASE("a taken name and a missing namespace are distinguished") {
  ApiServer server;
  server.good(server.post(k_jobs, job_manifest("ddp")), 201);
  CHECK(server.refusal(server.post(k_jobs, job_manifest("ddp")), 409) ==
        "pytorchjobs.kubeflow.org \"ddp\" already exists");
  const std::string missing = "/apis/kubeflow.org/v1/namespaces/nonexist/pytorchjobs";
  CHECK(server.refusal(server.post(missing, job_manifest("ddp")), 404) ==
        "namespaces \"nonexist\" not found");
  CHECK(array_at(server.good(server.get(missing)), "/items").empty());
}

TEST_CASE("a body that does not fit its path is refused") {
  ApiServer server;
  Json manifest = job_manifest("ddp");
  manifest["metadata"]["namespace"] = "other";
  CHECK(server.refusal(server.post(k_jobs, manifest), 400) ==
        "the namespace of the provided object does not match the namespace sent on the request");
  manifest = job_manifest("ddp");
  manifest["apiVersion"] = "kubeflow.org/v2";
  CHECK(server.refusal(server.post(k_jobs, manifest), 400) == "apiVersion is not kubeflow.org/v1");
  const std::string tfjobs = "/apis/kubeflow.org/v1/namespaces/default/tfjobs";
  CHECK(server.refusal(server.post(tfjobs, job_manifest("ddp")), 400) == "kind is not TFJob");
}

TEST_CASE("broken bodies, foreign media types and too much of it are refused") {
  ApiServer server;
  for (const char* body : {"", "{x}", "[]", "1"}) {
    CHECK(server.send("POST", k_jobs, body).code == 400);
  }
  for (const char* type : {"text/csv", "application/yaml", "application/vnd.kubernetes.protobuf"}) {
    CHECK(server.send("POST", k_maps, "a: b", type).code == 415);
  }
  CHECK(server.refusal(server.send("POST", k_maps, std::string(3'145'729, ' ')), 413) ==
        "Request entity too large: limit is 3145728");
  Json large = job_manifest("large");
  large["metadata"]["annotations"] = {{"a", std::string(100'000, 'x')}};
  Json& container =
      large["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0];
  container["args"] = {std::string(1'500'000, 'x')};
  CHECK(server.refusal(server.post(k_jobs, large), 500) == "etcdserver: request is too large");
  server.good(server.post(k_jobs + "?dryRun=All", large), 201);
}

TEST_CASE("a generated name has five characters more, and the first 58 of its prefix") {
  ApiServer server;
  Json manifest = {{"metadata", {{"generateName", "gn-"}}}};
  const std::string name =
      text_at(server.good(server.post(k_maps, manifest), 201), "/metadata/name");
  CHECK(name.size() == 8);
  CHECK(name.starts_with("gn-"));
  CHECK(server.get(k_maps + "/" + name).code == 200);
  manifest["metadata"]["generateName"] = std::string(70, 'a');
  CHECK(text_at(server.good(server.post(k_maps, manifest), 201), "/metadata/name").size() == 63);
}

TEST_CASE("a dry run shows what would be, and keeps nothing") {
  ApiServer server;
  const std::int64_t version = server.store->version();
  const Json job = server.good(server.post(k_jobs + "?dryRun=All", job_manifest("ddp")), 201);
  CHECK(text_at(job, "/metadata/uid").size() == 36);
  CHECK(find(job, "/metadata/resourceVersion") == nullptr);
  CHECK(server.store->version() == version);
  server.good(server.post(k_jobs, job_manifest("ddp")), 201);
  CHECK(server.post(k_jobs + "?dryRun=All", job_manifest("ddp")).code == 409);
}

TEST_CASE("a new namespace has what every pod expects there") {
  ApiServer server;
  const Json ns =
      server.good(server.post("/api/v1/namespaces", {{"metadata", {{"name", "team"}}}}), 201);
  CHECK(text_at(ns, "/status/phase") == "Active");
  CHECK(text_at(ns, "/metadata/labels/kubernetes.io~1metadata.name") == "team");
  CHECK(server.get("/api/v1/namespaces/team").code == 200);
  CHECK(server.get("/api/v1/namespaces/team/serviceaccounts/default").code == 200);
  CHECK(server.get("/api/v1/namespaces/team/configmaps/kube-root-ca.crt").code == 200);
}

TEST_CASE("the faults of a hostile body are told within bounds, and not for each field") {
  std::string fields;
  for (int n = 0; n < 5'000; ++n) fields += cat(",\"f", n, "\":0");
  ApiServer server;
  const auto refusal = [&server](const std::string& spec) {
    const auto body = cat(R"({"metadata":{"name":"a"},"spec":)", spec, "}");
    return server.send("POST", k_jobs, body).body;
  };
  CHECK(refusal(cat(R"({"x":1)", fields, "}")).find("unknown field") != std::string::npos);
  CHECK(refusal(cat(R"({"x":1)", fields, "}")).size() < 10'000);
  CHECK_FALSE(refusal(std::string(1'000'000, '[')).empty());
}

TEST_CASE("questions about logs are checked before anybody reads one") {
  ApiServer server;
  Json pod = local_objects::pod("a");
  pod["spec"]["containers"] = {{{"name", "c"}}};
  pod["spec"]["initContainers"] = {{{"name", "i"}}};
  local_objects::good(server.store->create(local_objects::served("pods"), pod));
  const std::string log = k_pods_path + "/a/log";
  CHECK(server.get(log + "?follow=yes&tailLines=0&sinceTime=2026-01-02T03:04:05.9Z").body ==
        "log of a");
  REQUIRE(server.logs.asked);
  CHECK(server.logs.asked->container == "c");
  CHECK(server.logs.asked->follow);
  CHECK(server.logs.asked->tail_lines == 0);
  CHECK(server.logs.asked->since == parse_time("2026-01-02T03:04:05Z"));

  CHECK(server.refusal(server.get(log + "?sinceTime=bad"), 400) ==
        "parsing time \"bad\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"bad\" as \"2006\"");
  CHECK(server.refusal(server.get(log + "?limitBytes=0"), 422) ==
        "PodLogOptions \"a\" is invalid: limitBytes: Invalid value: 0: must be greater than 0");
  CHECK(server.refusal(server.get(log + "?tailLines=-1&stream=All"), 422) ==
        "PodLogOptions \"a\" is invalid: [tailLines: Invalid value: -1: must be greater than or "
        "equal to 0, stream: Forbidden: may not be specified]");
  CHECK(server.refusal(server.get(log + "?tailLines=x"), 400) == "tailLines: \"x\" is no number");
  CHECK(server.refusal(server.get(log + "?container=zz"), 400) ==
        "container zz is not valid for pod a");
  CHECK(server.get(k_pods_path + "/nope/log").code == 404);
}

}  // namespace api_test
