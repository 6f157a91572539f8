// Deletion: grace, finalizers, dependents and namespaces.
#include "local/api/garbage.h"

#include <doctest/doctest.h>

#include "local/api/api.h"
#include "local/objects.h"

namespace garbage_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;
using namespace trainctl::testing::local_objects;
using namespace std::chrono_literals;

struct Cluster {
  FakeLoop loop;
  std::unique_ptr<Store> store = open_store(loop);
  GarbageCollector collector{loop, *store};

  Json create(std::string_view plural, Json object) {
    return good(store->create(served(plural), std::move(object)));
  }
  Answered<Json> remove(std::string_view plural, std::string_view name, int grace = -1) {
    Answered<Json> answer =
        delete_object(*store, loop.now(), served(plural), "default", name, grace);
    settle(loop);
    return answer;
  }
  std::shared_ptr<const Json> get(std::string_view plural, std::string_view name) {
    return store->get(served(plural), "default", name);
  }
};

TEST_CASE("a running pod is marked, and stays until its kubelet removes it") {
  Cluster cluster;
  cluster.create("pods", pod("a"));
  const Json marked = good(cluster.remove("pods", "a"));
  CHECK(text_at(marked, "/metadata/deletionTimestamp") == "2026-01-02T03:04:35Z");
  CHECK(int_at(marked, "/metadata/deletionGracePeriodSeconds") == 30);
  CHECK(int_at(marked, "/metadata/generation") == 2);
  CHECK(cluster.get("pods", "a"));
}

TEST_CASE("pods that no kubelet works on go at once") {
  Cluster cluster;
  cluster.create("pods", pod("done", "Succeeded"));
  cluster.create("pods", pod("failed", "Failed"));
  Json waiting = pod("waiting", "Pending");
  waiting["spec"].erase("nodeName");
  cluster.create("pods", waiting);
  for (const char* name : {"done", "failed", "waiting"}) {
    good(cluster.remove("pods", name));
    CHECK_FALSE(cluster.get("pods", name));
  }
}

TEST_CASE("a grace period can be given, shortened, and refused to be prolonged") {
  Cluster cluster;
  cluster.create("pods", pod("a"));
  CHECK(int_at(good(cluster.remove("pods", "a", 20)), "/metadata/deletionGracePeriodSeconds") ==
        20);
  CHECK(int_at(good(cluster.remove("pods", "a", 60)), "/metadata/deletionGracePeriodSeconds") ==
        20);
  const Json shorter = good(cluster.remove("pods", "a", 5));
  CHECK(text_at(shorter, "/metadata/deletionTimestamp") == "2026-01-02T03:04:10Z");
  good(cluster.remove("pods", "a", 0));
  CHECK_FALSE(cluster.get("pods", "a"));
}

TEST_CASE("deleting what is not there says so") {
  Cluster cluster;
  CHECK(refused(cluster.remove("pytorchjobs", "nope")).message ==
        "pytorchjobs.kubeflow.org \"nope\" not found");
}

TEST_CASE("a job goes at once in the background, and its pods after it") {
  Cluster cluster;
  const Json job = cluster.create("pytorchjobs", named("default", "ddp"));
  cluster.create("pods", owned_by(pod("ddp-master-0"), job));
  cluster.create("pods", owned_by(pod("ddp-worker-0", "Succeeded"), job));
  cluster.create("services", owned_by(named("default", "ddp-master-0"), job));
  cluster.create("pods", pod("stranger"));
  const Json removed = good(cluster.remove("pytorchjobs", "ddp"));
  CHECK(text_at(removed, "/metadata/uid") == text_at(job, "/metadata/uid"));
  CHECK_FALSE(cluster.get("pytorchjobs", "ddp"));
  CHECK_FALSE(cluster.get("services", "ddp-master-0"));
  CHECK_FALSE(cluster.get("pods", "ddp-worker-0"));
  CHECK(find(*cluster.get("pods", "ddp-master-0"), "/metadata/deletionTimestamp") != nullptr);
  CHECK(find(*cluster.get("pods", "stranger"), "/metadata/deletionTimestamp") == nullptr);
}

TEST_CASE("a pod that comes after its job went does not stay") {
  Cluster cluster;
  const Json job = cluster.create("pytorchjobs", named("default", "ddp"));
  good(cluster.remove("pytorchjobs", "ddp"));
  cluster.create("pytorchjobs", named("default", "ddp"));
  cluster.create("pods", owned_by(pod("ddp-master-0"), job));
  settle(cluster.loop);
  CHECK(find(*cluster.get("pods", "ddp-master-0"), "/metadata/deletionTimestamp") != nullptr);
}

TEST_CASE("an object with two owners loses the one that went") {
  Cluster cluster;
  const Json one = cluster.create("pytorchjobs", named("default", "one"));
  const Json two = cluster.create("pytorchjobs", named("default", "two"));
  Json shared = owned_by(pod("shared"), one);
  shared["metadata"]["ownerReferences"].push_back(owner_reference(two));
  cluster.create("pods", shared);
  good(cluster.remove("pytorchjobs", "one"));
  const auto left = cluster.get("pods", "shared");
  CHECK(find(*left, "/metadata/deletionTimestamp") == nullptr);
  CHECK_FALSE(is_owned_by(*left, text_at(one, "/metadata/uid")));
  CHECK(is_owned_by(*left, text_at(two, "/metadata/uid")));
}

TEST_CASE("the next daemon deletes the remains of a killed one") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const Json job = good(store->create(served("pytorchjobs"), named("default", "ddp")));
  good(store->create(served("services"), owned_by(named("default", "ddp-master-0"), job)));
  good(store->remove(served("pytorchjobs"), "default", "ddp"));
  const GarbageCollector collector(loop, *store);
  settle(loop);
  CHECK(store->list(served("services"), "").empty());
}

TEST_CASE("a foreign finalizer keeps an object until it is taken off") {
  Cluster cluster;
  Json object = named("default", "kept");
  object["metadata"]["finalizers"] = {"example.com/mine"};
  cluster.create("configmaps", object);
  good(cluster.remove("configmaps", "kept"));
  Json kept = *cluster.get("configmaps", "kept");
  CHECK(find(kept, "/metadata/deletionTimestamp") != nullptr);
  kept["metadata"].erase("finalizers");
  good(update_or_finish(*cluster.store, served("configmaps"), kept));
  CHECK_FALSE(cluster.get("configmaps", "kept"));
}

TEST_CASE("a namespace takes its contents with it, and waits for their end") {
  Cluster cluster;
  seed(*cluster.store);
  cluster.create("namespaces", {{"metadata", {{"name", "team"}}}});
  Json running = pod("running");
  running["metadata"]["namespace"] = "team";
  cluster.create("pods", running);
  cluster.create("configmaps", named("team", "settings"));
  cluster.create("configmaps", named("default", "settings"));

  const ServedResource& namespaces = served("namespaces");
  const Json leaving =
      good(delete_object(*cluster.store, cluster.loop.now(), namespaces, "", "team", -1));
  CHECK(text_at(leaving, "/status/phase") == "Terminating");
  settle(cluster.loop);
  CHECK_FALSE(cluster.store->get(served("configmaps"), "team", "settings"));
  CHECK(cluster.store->get(namespaces, "", "team"));

  cluster.create("configmaps", named("team", "latecomer"));
  good(cluster.store->remove(served("pods"), "team", "running"));
  settle(cluster.loop);
  CHECK_FALSE(cluster.store->get(namespaces, "", "team"));
  CHECK(cluster.store->list(served("configmaps"), "team").empty());
  CHECK(cluster.get("configmaps", "settings"));
}

TEST_CASE("the namespaces a cluster lives on cannot be deleted") {
  Cluster cluster;
  seed(*cluster.store);
  const ApiError error = refused(
      delete_object(*cluster.store, cluster.loop.now(), served("namespaces"), "", "default", -1));
  CHECK(error.code == 403);
  CHECK(error.message == "namespaces \"default\" is forbidden: this namespace may not be deleted");
}

}  // namespace garbage_test
