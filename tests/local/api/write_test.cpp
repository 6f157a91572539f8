// PATCH and DELETE: what a client can change, and how conflicts are reported.
#include <doctest/doctest.h>

#include "local/api/api_server.h"

namespace write_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;

const std::string k_job = k_jobs + "/ddp";

Json create_job(ApiServer& server) {
  return server.good(server.post(k_jobs, job_manifest("ddp")), 201);
}

TEST_CASE("a client changes no status, nor what only the server may set") {
  ApiServer server;
  create_job(server);
  const Json change = {{"status", {{"startTime", "2026-01-02T03:04:05Z"}}},
                       {"metadata", {{"labels", {{"a", "b"}}}, {"generation", 7}}}};
  const Json job = server.good(server.patch(k_job, change));
  CHECK(find(job, "/status") == nullptr);
  CHECK(text_at(job, "/metadata/labels/a") == "b");
  CHECK(int_at(job, "/metadata/generation") == 1);
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
  CHECK(server.patch(k_job, {{"metadata", {{"name", "other"}}}}).code == 400);
  for (const char* type : {"application/json-patch+json", "application/apply-patch+yaml",
                           "application/strategic-merge-patch+json"}) {
    CHECK(server.patch(k_job, Json::object(), type).code == 415);
  }
}

TEST_CASE("a dry run of a change changes nothing") {
  ApiServer server;
  create_job(server);
  const std::int64_t version = server.store->version();
  const Json labels = {{"metadata", {{"labels", {{"a", "b"}}}}}};
  CHECK(text_at(server.good(server.patch(k_job + "?dryRun=All", labels)), "/metadata/labels/a") ==
        "b");
  CHECK(server.store->version() == version);
}

TEST_CASE("a deletion obeys its preconditions and answers with the object") {
  ApiServer server;
  const Json job = create_job(server);
  const std::string uid = text_at(job, "/metadata/uid");
  const Json wrong = {{"preconditions", {{"uid", "other"}}}};
  CHECK(server.refusal(server.send("DELETE", k_job, dump(wrong)), 409) ==
        "Operation cannot be fulfilled on PyTorchJob.kubeflow.org \"ddp\": the UID in the "
        "precondition (other) does not match the UID in record (" +
            uid + "). The object might have been deleted and then recreated");
  const Json removed =
      server.good(server.send("DELETE", k_job, dump(Json{{"preconditions", {{"uid", uid}}}})));
  CHECK(text_at(removed, "/metadata/uid") == uid);

  local_objects::good(server.store->create(local_objects::served("pods"), local_objects::pod("a")));
  const Json pod =
      server.good(server.send("DELETE", k_pods_path + "/a", dump(Json{{"gracePeriodSeconds", 7}})));
  CHECK(text_at(pod, "/kind") == "Pod");
  CHECK(int_at(pod, "/metadata/deletionGracePeriodSeconds") == 7);
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

}  // namespace write_test
