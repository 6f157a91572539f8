// The store: versions, conflicts, what survives, and who hears of it.
#include "local/store/store.h"

#include <csignal>
#include <filesystem>
#include <random>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "local/folder.h"
#include "local/objects.h"
#include "local/store/changes.h"

namespace store_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;
using namespace trainctl::testing::local_objects;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST_CASE("a new object has what every reader asks for") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const Json job = good(store->create(served("pytorchjobs"), named("default", "ddp")));
  CHECK(text_at(job, "/apiVersion") == "kubeflow.org/v1");
  CHECK(text_at(job, "/kind") == "PyTorchJob");
  CHECK(text_at(job, "/metadata/uid").size() == 36);
  CHECK(text_at(job, "/metadata/creationTimestamp") == "2026-01-02T03:04:05Z");
  CHECK(int_at(job, "/metadata/generation") == 1);
  CHECK(version_of(job) == std::to_string(store->version()));
}

TEST_CASE("a name is taken once, and says so while its owner is going") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const ServedResource& pods = served("pods");
  good(store->create(pods, pod("a")));
  const ApiError twice = refused(store->create(pods, pod("a")));
  CHECK(twice.code == 409);
  CHECK(twice.message == "pods \"a\" already exists");
  modify(*store, pods, "default", "a", [](Json& object) {
    set_at(object, "/metadata/deletionTimestamp", "2026-01-02T03:04:05Z");
  });
  CHECK(refused(store->create(pods, pod("a"))).message ==
        "object is being deleted: pods \"a\" already exists");
}

TEST_CASE("a write over an older state is a conflict and changes nothing") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const ServedResource& maps = served("configmaps");
  const Json first = good(store->create(maps, named("default", "m")));
  Json second = first;
  second["data"] = {{"a", "1"}};
  second = good(store->update(maps, second));
  Json late = first;
  late["data"] = {{"a", "2"}};
  const ApiError error = refused(store->update(maps, late));
  CHECK(error.code == 409);
  CHECK(error.message ==
        "Operation cannot be fulfilled on configmaps \"m\": the object has been modified; please "
        "apply your changes to the latest version and try again");
  CHECK(*store->get(maps, "default", "m") == second);
}

TEST_CASE("writing what is there, in whatever order of keys, wakes nobody") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const ServedResource& maps = served("configmaps");
  Json object = named("default", "m");
  object["data"] = {{"a", "1"}, {"b", "2"}};
  good(store->create(maps, object));
  const std::int64_t version = store->version();
  object["data"] = {{"b", "2"}, {"a", "1"}};
  good(store->update(maps, object));
  CHECK(store->version() == version);
}

TEST_CASE("the generation counts changes of the specification, not of labels and status") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const ServedResource& jobs = served("pytorchjobs");
  good(store->create(jobs, named("default", "ddp")));
  const auto generation_after = [&](const char* place) {
    modify(*store, jobs, "default", "ddp", [&](Json& job) { set_at(job, place, "x"); });
    return int_at(*store->get(jobs, "default", "ddp"), "/metadata/generation");
  };
  CHECK(generation_after("/metadata/labels/a") == 1);
  CHECK(generation_after("/status/state") == 1);
  CHECK(generation_after("/spec/nprocPerNode") == 2);
}

TEST_CASE("a closed store opens with the same objects and goes on counting") {
  FakeLoop loop;
  const Folder folder;
  std::string version;
  {
    const auto store = open_store(loop, folder.file("cluster.db"));
    good(store->create(served("secrets"), named("default", "s")));
    version = version_of(good(store->create(served("pods"), pod("a"))));
  }
  const auto store = open_store(loop, folder.file("cluster.db"));
  CHECK(version_of(*store->get(served("pods"), "default", "a")) == version);
  CHECK(std::stoll(version_of(good(store->create(served("pods"), pod("b"))))) ==
        std::stoll(version) + 1);
  const auto permissions = fs::status(folder.file("cluster.db")).permissions();
  CHECK((permissions & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
}

TEST_CASE("a database that is none is named, and left alone") {
  FakeLoop loop;
  const Folder folder;
  const Result<std::unique_ptr<Store>> missing = Store::open(loop, folder.file("no/cluster.db"));
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().message.find(folder.file("no/cluster.db")) != std::string::npos);
  CHECK(missing.error().message.find("No such file or directory") != std::string::npos);
}

TEST_CASE("on a full disk a change is refused with the reason, and none of it is seen") {
  FakeLoop loop;
  const Folder folder;
  const auto store = open_store(loop, folder.file("cluster.db"));
  const ServedResource& maps = served("configmaps");
  good(store->create(maps, named("default", "small")));
  const auto before = everything(*store);
  const std::int64_t version = store->version();

  Json large = named("default", "large");
  large["data"] = {{"text", std::string(1'000'000, 'x')}};
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{200'000, limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  const ApiError error = refused(store->create(maps, large));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, handler);

  CHECK(error.code == 500);
  CHECK(error.message.find(folder.file("cluster.db")) != std::string::npos);
  CHECK(everything(*store) == before);
  CHECK(store->version() == version);
  good(store->create(maps, large));
  CHECK(everything(*open_store(loop, folder.copy_of("cluster.db", "copy.db"))) ==
        everything(*store));
}

TEST_CASE("subscribers hear every later change in order, on a later turn") {
  FakeLoop loop;
  const auto store = open_store(loop);
  std::minstd_rand random(3);
  change_something(*store, random);
  std::vector<std::int64_t> heard;
  const HandlePtr handle =
      store->subscribe([&](const Change& change) { heard.push_back(change.version); });
  const std::int64_t first = store->version() + 1;
  for (int i = 0; i < 50; ++i) change_something(*store, random);
  CHECK(heard.empty());
  settle(loop);
  REQUIRE(heard.size() == 50);
  for (std::size_t i = 0; i < heard.size(); ++i) CHECK(heard[i] == first + std::int64_t(i));
}

TEST_CASE("a subscriber may change the store and go away while it is called") {
  FakeLoop loop;
  const auto store = open_store(loop);
  std::vector<std::string> heard;
  HandlePtr handle;
  handle = store->subscribe([&](const Change& change) {
    heard.push_back(text_at(*change.object, "/metadata/name"));
    if (heard.size() < 3) {
      good(store->create(served("pods"), pod(cat("next-", heard.size()))));
    } else {
      handle = nullptr;
    }
  });
  good(store->create(served("pods"), pod("first")));
  settle(loop);
  good(store->create(served("pods"), pod("unheard")));
  settle(loop);
  CHECK(heard == std::vector<std::string>{"first", "next-1", "next-2"});
}

TEST_CASE("the last thousand changes can be asked for, older ones are unknown") {
  FakeLoop loop;
  const auto store = open_store(loop);
  std::minstd_rand random(5);
  for (int i = 0; i < 1500; ++i) change_something(*store, random);
  const std::int64_t latest = store->version();
  std::vector<Change> changes;
  CHECK(store->changes_since(latest, changes));
  CHECK(changes.empty());
  REQUIRE(store->changes_since(latest - 1000, changes));
  CHECK(changes.size() == 1000);
  CHECK(changes.front().version == latest - 999);
  CHECK_FALSE(store->changes_since(latest - 1001, changes));
}

TEST_CASE("changes are forgotten after five minutes, so that an idle daemon is small") {
  FakeLoop loop;
  const auto store = open_store(loop);
  std::minstd_rand random(5);
  change_something(*store, random);
  const std::int64_t first = store->version();
  pass(loop, 3min);
  change_something(*store, random);
  pass(loop, 2min);
  std::vector<Change> changes;
  CHECK_FALSE(store->changes_since(first - 1, changes));
  CHECK(store->changes_since(first, changes));
  CHECK(changes.size() == 1);
  pass(loop, 3min);
  CHECK_FALSE(store->changes_since(first, changes));
  CHECK(store->changes_since(first + 1, changes));
}

TEST_CASE("a store that has rested gives the same objects, and takes changes of them") {
  FakeLoop loop;
  const Folder folder;
  const auto store = open_store(loop, folder.file("cluster.db"));
  std::minstd_rand random(7);
  for (int i = 0; i < 200; ++i) change_something(*store, random);
  good(store->create(served("pods"), pod("a")));
  const auto before = everything(*store);
  const std::int64_t version = store->version();

  CHECK(store->rest());
  CHECK_FALSE(store->rest());
  CHECK(store->version() == version);
  CHECK(everything(*store) == before);
  CHECK(store->rest());

  for (int i = 0; i < 200; ++i) change_something(*store, random);
  good(store->update(served("pods"), pod("a", "Failed")));
  CHECK(text_at(*store->get(served("pods"), "default", "a"), "/status/phase") == "Failed");
  CHECK(store->list(served("pods"), "default", "a").size() == 1);
  CHECK(everything(*open_store(loop, folder.copy_of("cluster.db", "copy.db"))) ==
        everything(*store));
}

TEST_CASE("a watch that comes back after a rest has to begin anew, one that goes on has not") {
  FakeLoop loop;
  const auto store = open_store(loop);
  std::minstd_rand random(7);
  change_something(*store, random);
  const std::int64_t first = store->version();
  change_something(*store, random);
  const std::int64_t latest = store->version();
  CHECK(store->rest());

  std::vector<Change> changes;
  CHECK_FALSE(store->changes_since(first, changes));
  REQUIRE(store->changes_since(latest, changes));
  CHECK(changes.empty());
  change_something(*store, random);
  REQUIRE(store->changes_since(latest, changes));
  CHECK(changes.size() == 1);
  pass(loop, 6min);
  CHECK_FALSE(store->changes_since(latest, changes));
}

}  // namespace store_test
