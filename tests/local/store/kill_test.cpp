// The store and kill -9: no acknowledged change is lost, no half of one is there.
#include <csignal>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local/folder.h"
#include "local/store/changes.h"

namespace kill_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;
using namespace trainctl::testing::local_objects;

// Changes a store for ever, and says after each change which version it has.
[[noreturn]] void work(const std::string& path, unsigned seed_number, int acknowledge) {
  FakeLoop loop;
  Result<std::unique_ptr<Store>> store = Store::open(loop, path);
  std::minstd_rand random(seed_number);
  while (store) {
    change_something(**store, random);
    const std::int64_t version = (*store)->version();
    if (write(acknowledge, &version, sizeof version) != ssize_t(sizeof version)) break;
  }
  _exit(1);
}

// The state after the same changes without any accident, but for the random uids.
std::map<std::string, Json> expected_at(std::int64_t version, unsigned seed_number) {
  FakeLoop loop;
  const auto store = open_store(loop);
  std::minstd_rand random(seed_number);
  while (store->version() < version) change_something(*store, random);
  return everything(*store);
}

std::map<std::string, Json> without_uids(std::map<std::string, Json> objects) {
  for (auto& [key, object] : objects) object["metadata"].erase("uid");
  return objects;
}

TEST_CASE("after a kill at any moment every acknowledged change is there") {
  FakeLoop loop;
  const Folder folder;
  const auto store = open_store(loop, folder.file("cluster.db"));
  std::minstd_rand random(7);
  for (int round = 0; round < 40; ++round) {
    for (unsigned i = 0; i < 1 + random() % 9; ++i) change_something(*store, random);
    const std::string copy = folder.copy_of("cluster.db", cat("copy-", round, ".db"));
    const auto reopened = open_store(loop, copy);
    CHECK(reopened->version() == store->version());
    CHECK(everything(*reopened) == everything(*store));
  }
}

TEST_CASE("a daemon killed while it writes loses nothing it has acknowledged") {
  std::minstd_rand random(11);
  for (unsigned round = 1; round <= 15; ++round) {
    const Folder folder;
    int ends[2] = {-1, -1};
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) work(folder.file("cluster.db"), round, ends[1]);
    close(ends[1]);

    std::int64_t acknowledged = 0;
    std::int64_t version = 0;
    const unsigned patience = 1 + random() % 150;
    for (unsigned count = 0; read(ends[0], &version, sizeof version) > 0; ++count) {
      acknowledged = version;
      if (count == patience) kill(child, SIGKILL);
    }
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));

    FakeLoop loop;
    const auto store = open_store(loop, folder.file("cluster.db"));
    CHECK(store->version() >= acknowledged);
    CHECK(store->version() <= acknowledged + 1);
    CHECK(without_uids(everything(*store)) == without_uids(expected_at(store->version(), round)));
  }
}

}  // namespace kill_test
