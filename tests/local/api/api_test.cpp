// The API server's answers to reads, creations and what it does not know.
#include "local/api/api.h"

#include <doctest/doctest.h>

#include "local/api/api_server.h"

namespace TEST_FILE {

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

TEST_CASE("custom resources have sorted keys, core objects begin with their kind") {
  ApiServer server;
  const std::string job = server.post(k_jobs, job_manifest("ddp")).body;
  CHECK(
      job.starts_with(R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"creat)"));
  const std::string map = server.post(k_maps, {{"metadata", {{"name", "m"}}}}).body;
  CHECK(map.starts_with(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m",)"));
}

TEST_CASE("what is not there is refused in the server's words") {
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
  CHECK(server.refusal(server.send("PUT", k_jobs, "{}"), 400) == "name must be provided");
  CHECK(server.send("POST", k_jobs + "/ddp", dump(job_manifest("ddp"))).code == 201);
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
  CHECK(server.refusal(server.post(k_jobs, manifest), 400) ==
        "the API version in the data (kubeflow.org/v2) does not match the expected API version "
        "(kubeflow.org/v1)");
  CHECK(server.refusal(server.post(k_jobs + "?fieldValidation=Strict", manifest), 400) ==
        "PyTorchJob in version \"v2\" cannot be handled as a PyTorchJob: strict decoding error: "
        "unknown field \"spec\"");
  const std::string tfjobs = "/apis/kubeflow.org/v1/namespaces/default/tfjobs";
  CHECK(server.refusal(server.post(tfjobs, job_manifest("ddp")), 422) ==
        "PyTorchJob.kubeflow.org \"ddp\" is invalid: kind: Invalid value: \"PyTorchJob\": must be "
        "TFJob");
}

TEST_CASE("broken bodies, foreign media types and too much of it are refused") {
  ApiServer server;
  CHECK(server.refusal(server.send("POST", k_jobs, ""), 400) ==
        "the object provided is unrecognized (must be of type PyTorchJob): couldn't get "
        "version/kind; json parse error: unexpected end of JSON input (<empty>)");
  CHECK(server.refusal(server.send("POST", k_jobs, "{x}"), 400)
            .find("json parse error: invalid "
                  "character 'x'") != std::string::npos);
  CHECK(server.refusal(server.send("POST", k_jobs, "a=b", "text/csv"), 415) ==
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf");
  CHECK(
      server.refusal(server.send("POST", k_maps, "k8s", "application/vnd.kubernetes.protobuf"), 415)
          .find("kubectl create ... --dry-run=client -o json | kubectl create -f -") !=
      std::string::npos);
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

TEST_CASE("YAML is taken, and given back when asked for") {
  ApiServer server;
  const std::string yaml = "metadata:\n  name: m\ndata:\n  a: \"1\"\n";
  CHECK(text_at(server.good(server.send("POST", k_maps, yaml, "application/yaml"), 201),
                "/data/a") == "1");
  const ApiAnswer answer = server.get(k_maps + "/m", "application/yaml");
  CHECK(answer.content_type == "application/yaml");
  CHECK(answer.body.starts_with("kind: ConfigMap\napiVersion: v1\n"));
  CHECK(server.get(k_maps, "text/html").code == 406);
}

TEST_CASE("what is wrong with a hostile body is said within bounds, and not for each field") {
  const std::string key(20'000, 'k');
  std::string fields, twice;
  for (int n = 0; n < 5'000; ++n) {
    fields += cat(",\"f", n, "\":0");
    twice += R"(,"a":0)";
  }
  const auto refusal = [](const std::string& inner) {
    ApiServer server;
    return server.refusal(
        server.send(
            "POST", k_jobs + "?fieldValidation=Strict",
            cat(R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","spec":)", inner, "}")),
        400);
  };
  constexpr std::size_t k_bound = 1'000'000;
  const std::string unknown =
      refusal(cat(R"({"pytorchReplicaSpecs":{")", key, R"(":{"x":1)", fields, "}}}"));
  CHECK(unknown.find("unknown field") != std::string::npos);
  CHECK(unknown.size() < k_bound);
  const std::string each_twice = refusal(cat(R"({")", key, R"(":{"x":1)", fields, fields, "}}"));
  CHECK(each_twice.find("duplicate field") != std::string::npos);
  CHECK(each_twice.size() < k_bound);
  CHECK(refusal(cat(R"({"y":{"x":1)", twice, "}}")).find("\"spec.y.a\"") ==
        refusal(cat(R"({"y":{"x":1)", twice, "}}")).rfind("\"spec.y.a\""));
  CHECK_FALSE(refusal(std::string(1'000'000, '[')).empty());
}

TEST_CASE("unknown and repeated fields: refused, warned of or dropped, as asked") {
  ApiServer server;
  const std::string text =
      R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"ddp"},"spec":{"zz":1,"pytorchReplicaSpecs":{"Worker":
         {"replicas":1,"replicas":2,"template":{"spec":{"containers":
         [{"name":"pytorch","image":"i"}]}}}}}})";
  const std::string strict =
      server.refusal(server.send("POST", k_jobs + "?fieldValidation=Strict", text), 400);
  CHECK(strict.find("duplicate field \"spec.pytorchReplicaSpecs.Worker.replicas\"") !=
        std::string::npos);
  CHECK(strict.find("unknown field \"spec.zz\"") != std::string::npos);
  const ApiAnswer warned = server.send("POST", k_jobs, text);
  CHECK(warned.code == 201);
  std::vector<std::string> warnings;
  for (const net::Header& header : warned.headers) {
    if (header.name == "Warning") warnings.push_back(header.value);
  }
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[1] == R"(299 - "unknown field \"spec.zz\"")");
  CHECK(int_at(body_of(warned), "/spec/pytorchReplicaSpecs/Worker/replicas") == 2);
  CHECK(find(body_of(warned), "/spec/zz") == nullptr);
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
  CHECK(server.refusal(server.post(k_jobs + "?dryRun=true", job_manifest("b")), 422) ==
        "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"true\"]: "
        "supported values: \"All\"");
}

TEST_CASE("tables and metadata alone are given to those who ask for them") {
  ApiServer server;
  server.good(server.post(k_jobs, job_manifest("ddp")), 201);
  const Json table = server.good(
      server.get(k_jobs, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"));
  CHECK(text_at(table, "/kind") == "Table");
  CHECK(text_at(table, "/rows/0/cells/0") == "ddp");
  CHECK(text_at(table, "/metadata/resourceVersion") == std::to_string(server.store->version()));
  const Json list = server.good(
      server.get(k_jobs, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"));
  CHECK(text_at(list, "/kind") == "PartialObjectMetadataList");
  CHECK(text_at(list, "/items/0/metadata/name") == "ddp");
  CHECK(find(list, "/items/0/spec") == nullptr);
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
  CHECK(server.refusal(server.get(log + "?tailLines=x"), 400) ==
        "strconv.ParseInt: parsing \"x\": invalid syntax");
  CHECK(server.refusal(server.get(log + "?container=zz"), 400) ==
        "container zz is not valid for pod a");
  CHECK(server.get(k_pods_path + "/nope/log").code == 404);
}

}  // namespace TEST_FILE
