// PUT, PATCH and DELETE: what a client can change, and how conflicts are reported.
#include <doctest/doctest.h>

#include "local/api/api_server.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;

const std::string k_job = k_jobs + "/ddp";

Json create_job(ApiServer& server) {
  return server.good(server.post(k_jobs, job_manifest("ddp")), 201);
}

TEST_CASE("a stale PUT is a conflict, one without a version is no update") {
  ApiServer server;
  Json job = create_job(server);
  const Json stale = job;
  job["metadata"]["labels"] = {{"a", "b"}};
  const Json updated = server.good(server.send("PUT", k_job, dump(job)));
  CHECK(text_at(updated, "/metadata/labels/a") == "b");
  CHECK(server.refusal(server.send("PUT", k_job, dump(stale)), 409) ==
        "Operation cannot be fulfilled on pytorchjobs.kubeflow.org \"ddp\": the object has been "
        "modified; please apply your changes to the latest version and try again");
  job["metadata"].erase("resourceVersion");
  CHECK(server.refusal(server.send("PUT", k_job, dump(job)), 422) ==
        "pytorchjobs.kubeflow.org \"ddp\" is invalid: metadata.resourceVersion: Invalid value: 0: "
        "must be specified for an update");
  CHECK(server.send("PUT", k_jobs + "/other", dump(updated)).code == 400);
}

TEST_CASE("status is written through its own path only") {
  ApiServer server;
  create_job(server);
  const Json status = {{"status", {{"startTime", "2026-01-02T03:04:05Z"}}}};
  CHECK(find(server.good(server.patch(k_job, status)), "/status") == nullptr);
  Json change = status;
  change["metadata"] = {{"labels", {{"a", "b"}}}};
  const Json job = server.good(server.patch(k_job + "/status", change));
  CHECK(text_at(job, "/status/startTime") == "2026-01-02T03:04:05Z");
  CHECK(find(job, "/metadata/labels") == nullptr);
  CHECK(int_at(job, "/metadata/generation") == 1);
  Json cleared = job;
  cleared.erase("status");
  CHECK(find(server.good(server.send("PUT", k_job, dump(cleared))), "/status") != nullptr);
}

TEST_CASE("a merge patch changes, adds and deletes") {
  ApiServer server;
  create_job(server);
  server.good(server.patch(k_job, {{"metadata", {{"annotations", {{"a", "1"}, {"b", "2"}}}}}}));
  const Json job = server.good(
      server.patch(k_job, {{"metadata", {{"annotations", {{"a", nullptr}, {"b", "3"}}}}},
                           {"spec", {{"runPolicy", {{"suspend", true}}}}}}));
  CHECK(object_at(job, "/metadata/annotations") == Json{{"b", "3"}});
  CHECK(true_at(job, "/spec/runPolicy/suspend"));
  CHECK(int_at(job, "/metadata/generation") == 2);
  const std::int64_t version = server.store->version();
  server.good(server.patch(k_job, {{"metadata", {{"annotations", {{"b", "3"}}}}}}));
  CHECK(server.store->version() == version);
}

TEST_CASE("a patch that names an old version is a conflict") {
  ApiServer server;
  const Json job = create_job(server);
  server.good(server.patch(k_job, {{"metadata", {{"labels", {{"a", "b"}}}}}}));
  const Json stale = {
      {"metadata",
       {{"resourceVersion", text_at(job, "/metadata/resourceVersion")}, {"labels", {{"a", "c"}}}}}};
  CHECK(server.patch(k_job, stale).code == 409);
}

TEST_CASE("a JSON patch is applied whole or not at all") {
  ApiServer server;
  create_job(server);
  const std::string type = "application/json-patch+json";
  const Json good = Json::array(
      {{{"op", "test"}, {"path", "/metadata/name"}, {"value", "ddp"}},
       {{"op", "add"}, {"path", "/metadata/labels"}, {"value", {{"a/b", "c"}}}},
       {{"op", "replace"}, {"path", "/metadata/labels/a~1b"}, {"value", "d"}},
       {{"op", "copy"}, {"from", "/metadata/labels/a~1b"}, {"path", "/metadata/labels/x"}},
       {{"op", "move"}, {"from", "/metadata/labels/x"}, {"path", "/metadata/labels/y"}}});
  const Json job = server.good(server.patch(k_job, good, type));
  CHECK(object_at(job, "/metadata/labels") == Json{{"a/b", "d"}, {"y", "d"}});
  const Json bad = Json::array({{{"op", "remove"}, {"path", "/metadata/labels/y"}},
                                {{"op", "test"}, {"path", "/metadata/name"}, {"value", "other"}}});
  CHECK(server.refusal(server.patch(k_job, bad, type), 422) ==
        "the server rejected our request due to an error in our request");
  CHECK(server.good(server.get(k_job)) == job);
}

TEST_CASE("a strategic patch merges a pod's lists by name, and is not for jobs") {
  ApiServer server;
  create_job(server);
  const std::string type = "application/strategic-merge-patch+json";
  CHECK(server.refusal(server.patch(k_job, Json::object(), type), 415) ==
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json");
  Json service = {{"metadata", {{"name", "s"}}},
                  {"spec",
                   {{"clusterIP", "None"},
                    {"ports", {{{"name", "a"}, {"port", 1}}, {{"name", "b"}, {"port", 2}}}}}}};
  const std::string services = "/api/v1/namespaces/default/services";
  server.good(server.post(services, service), 201);
  const Json change = {
      {"spec", {{"ports", {{{"port", 2}, {"name", "c"}}, {{"port", 1}, {"$patch", "delete"}}}}}}};
  const Json patched = server.good(server.patch(services + "/s", change, type));
  REQUIRE(array_at(patched, "/spec/ports").size() == 1);
  CHECK(text_at(patched, "/spec/ports/0/name") == "c");
}

TEST_CASE("server-side apply is refused with the patch types that work, and changes nothing") {
  ApiServer server;
  create_job(server);
  server.make_map("m");
  const Json map = server.good(server.get(k_maps + "/m"));
  const std::string why =
      "the embedded cluster has no server-side apply, because it tracks no field managers; it "
      "accepts these patch types: application/json-patch+json, application/merge-patch+json";
  for (const std::string type : {"application/apply-patch+yaml", "application/apply-patch+cbor"}) {
    const auto apply = [&](const std::string& object) {
      return server.refusal(server.send("PATCH", object + "?fieldManager=me", "data: {b: y}", type),
                            415);
    };
    CHECK(apply(k_maps + "/m") == why + ", application/strategic-merge-patch+json");
    CHECK(apply(k_maps + "/missing") == why + ", application/strategic-merge-patch+json");
    CHECK(apply(k_job) == why);
  }
  CHECK(server.good(server.get(k_maps + "/m")) == map);
  CHECK(server.get(k_maps + "/missing").code == 404);
}

TEST_CASE("dry runs of changes and deletions change nothing") {
  ApiServer server;
  create_job(server);
  const std::int64_t version = server.store->version();
  const Json labels = {{"metadata", {{"labels", {{"a", "b"}}}}}};
  CHECK(text_at(server.good(server.patch(k_job + "?dryRun=All", labels)), "/metadata/labels/a") ==
        "b");
  server.good(server.send("DELETE", k_job + "?dryRun=All"));
  CHECK(server.store->version() == version);
}

TEST_CASE("a deletion obeys its preconditions and answers in the kind's form") {
  ApiServer server;
  const Json job = create_job(server);
  const std::string uid = text_at(job, "/metadata/uid");
  const Json wrong = {{"preconditions", {{"uid", "other"}}}};
  CHECK(server.refusal(server.send("DELETE", k_job, dump(wrong)), 409) ==
        "Operation cannot be fulfilled on PyTorchJob.kubeflow.org \"ddp\": the UID in the "
        "precondition (other) does not match the UID in record (" +
            uid + "). The object might have been deleted and then recreated");
  CHECK(server.send("DELETE", k_job + "?propagationPolicy=Never").code == 422);
  const Json status =
      server.good(server.send("DELETE", k_job, dump(Json{{"preconditions", {{"uid", uid}}}})));
  CHECK(text_at(status, "/details/uid") == uid);

  local_objects::good(server.store->create(local_objects::served("pods"), local_objects::pod("a")));
  const Json pod = server.good(server.send("DELETE", k_pods_path + "/a?gracePeriodSeconds=7"));
  CHECK(text_at(pod, "/kind") == "Pod");
  CHECK(int_at(pod, "/metadata/deletionGracePeriodSeconds") == 7);
}

TEST_CASE("a collection is deleted by its labels, and the rest stays") {
  ApiServer server;
  server.make_map("a", {{"app", "x"}});
  server.make_map("b", {{"app", "y"}});
  server.make_map("c", {{"app", "x"}});
  const Json removed = server.good(server.send("DELETE", k_maps + "?labelSelector=app%3Dx"));
  CHECK(names_of(removed) == std::vector<std::string>{"a", "c"});
  CHECK(names_of(server.good(server.get(k_maps))) ==
        std::vector<std::string>{"b", "kube-root-ca.crt"});
}

TEST_CASE("the last finalizer of a deleted object takes the object with it") {
  ApiServer server;
  Json manifest = {{"metadata", {{"name", "m"}, {"finalizers", {"example.com/mine"}}}}};
  server.good(server.post(k_maps, manifest), 201);
  CHECK(text_at(server.good(server.send("DELETE", k_maps + "/m")), "/kind") == "ConfigMap");
  CHECK(server.get(k_maps + "/m").code == 200);
  server.good(server.patch(k_maps + "/m", {{"metadata", {{"finalizers", nullptr}}}}));
  CHECK(server.get(k_maps + "/m").code == 404);
}

TEST_CASE("jobs with a scale subresource are scaled by their workers") {
  ApiServer server;
  create_job(server);
  const Json scale = server.good(server.get(k_job + "/scale"));
  CHECK(text_at(scale, "/apiVersion") == "autoscaling/v1");
  CHECK(int_at(scale, "/spec/replicas") == 1);
  const Json scaled = server.good(server.patch(k_job + "/scale", {{"spec", {{"replicas", 4}}}}));
  CHECK(int_at(scaled, "/spec/replicas") == 4);
  CHECK(int_at(server.good(server.get(k_job)), "/spec/pytorchReplicaSpecs/Worker/replicas") == 4);
  CHECK(server.patch(k_job + "/scale", {{"spec", {{"replicas", -1}}}}).code == 422);
  CHECK(server.refusal(server.get("/apis/kubeflow.org/v1/namespaces/default/tfjobs/x/scale"),
                       404) == "tfjobs.kubeflow.org \"x\" not found");
}

}  // namespace TEST_FILE
