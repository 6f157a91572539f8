// Watches: nothing lost, nothing twice, and an end that says why.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "local/api/api_server.h"

namespace watch_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;
using namespace std::chrono_literals;

std::unique_ptr<ApiStream> watch(ApiServer& server, const std::string& target) {
  ApiAnswer answer = server.get(target);
  REQUIRE(answer.code == 200);
  REQUIRE(answer.stream);
  return std::move(answer.stream);
}

// "ADDED m", in order.
std::vector<std::string> changes_of(ApiStream& stream) {
  std::vector<std::string> events;
  for (const Json& line : lines_of(stream)) {
    events.push_back(cat(text_at(line, "/type"), ' ', text_at(line, "/object/metadata/name")));
  }
  return events;
}

using Changes = std::vector<std::string>;

std::string since(const ApiServer& server) {
  return cat("?watch=true&resourceVersion=", server.store->version());
}

TEST_CASE("a watch without a version begins with what is there") {
  ApiServer server;
  server.make_map("a");
  const auto stream = watch(server, k_maps + "?watch=1&fieldSelector=metadata.name%3Da");
  CHECK(changes_of(*stream) == Changes{"ADDED a"});
  server.good(server.patch(k_maps + "/a", {{"data", {{"k", "v"}}}}));
  server.make_map("b");
  CHECK(server.send("DELETE", k_maps + "/a").code == 200);
  CHECK(changes_of(*stream) == Changes{"MODIFIED a", "DELETED a"});
}

TEST_CASE("a waiting reader is called for what it watches, and only for that") {
  ApiServer server;
  const auto stream = watch(server, k_maps + since(server));
  int calls = 0;
  stream->on_ready([&] { ++calls; });
  CHECK(stream->read(100) == "");
  server.good(server.post(k_jobs, job_manifest("ddp")), 201);
  local_objects::settle(server.loop);
  CHECK(calls == 0);
  server.make_map("a");
  server.make_map("b");
  CHECK(calls == 0);
  local_objects::settle(server.loop);
  CHECK(calls == 1);
  CHECK(changes_of(*stream) == Changes{"ADDED a", "ADDED b"});
}

TEST_CASE("an object that begins or ceases to match comes or goes") {
  ApiServer server;
  server.make_map("a");
  const auto stream = watch(server, k_maps + since(server) + "&labelSelector=app%3Dx");
  const auto label = [&](const char* value) {
    server.good(server.patch(k_maps + "/a", {{"metadata", {{"labels", {{"app", value}}}}}}));
  };
  label("y");
  label("x");
  server.good(server.patch(k_maps + "/a", {{"data", {{"k", "v"}}}}));
  label("z");
  const std::vector<Json> lines = lines_of(*stream);
  REQUIRE(lines.size() == 3);
  CHECK(text_at(lines[0], "/type") == "ADDED");
  CHECK(text_at(lines[1], "/type") == "MODIFIED");
  CHECK(text_at(lines[2], "/type") == "DELETED");
  CHECK(text_at(lines[2], "/object/metadata/labels/app") == "x");
  CHECK(text_at(lines[2], "/object/metadata/resourceVersion") ==
        std::to_string(server.store->version()));
}

TEST_CASE("bookmarks come every minute and before the end, to those who asked") {
  ApiServer server;
  const std::string query = k_pods_path + since(server) + "&timeoutSeconds=90";
  const auto asked = watch(server, query + "&allowWatchBookmarks=true");
  const auto silent = watch(server, query);
  CHECK(lines_of(*asked).empty());
  CHECK(lines_of(*silent).empty());
  server.make_map("elsewhere");
  local_objects::pass(server.loop, 60s);
  const std::vector<Json> lines = lines_of(*asked);
  REQUIRE(lines.size() == 1);
  CHECK(dump(lines[0]) ==
        cat(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":)",
            R"({"resourceVersion":")", server.store->version(), R"("}}})"));
  CHECK(lines_of(*silent).empty());
  bool called = false;
  silent->on_ready([&] { called = true; });
  local_objects::pass(server.loop, 31s);
  CHECK(called);
  CHECK(changes_of(*asked) == Changes{"BOOKMARK "});
  CHECK_FALSE(asked->read(10).has_value());
  CHECK_FALSE(silent->read(10).has_value());
}

TEST_CASE("a version that is too old is reported in the stream") {
  ApiServer server;
  const std::string query = k_maps + since(server);
  server.make_map("a");
  for (int i = 0; i < 1100; ++i) {
    server.good(server.patch(k_maps + "/a", {{"data", {{"a", std::to_string(i)}}}}));
  }
  const auto stream = watch(server, query);
  const std::vector<Json> lines = lines_of(*stream);
  REQUIRE(lines.size() == 1);
  CHECK(text_at(lines[0], "/type") == "ERROR");
  CHECK(text_at(lines[0], "/object/reason") == "Expired");
  CHECK(int_at(lines[0], "/object/code") == 410);
  CHECK_FALSE(stream->read(10).has_value());
}

TEST_CASE("an idle watch outlives a thousand changes of other things") {
  ApiServer server;
  server.make_map("other");
  const auto stream = watch(server, k_pods_path + since(server));
  CHECK(lines_of(*stream).empty());
  for (int i = 0; i < 1500; ++i) {
    server.good(server.patch(k_maps + "/other", {{"data", {{"a", std::to_string(i)}}}}));
    if (i % 100 == 0) local_objects::settle(server.loop);
  }
  local_objects::settle(server.loop);
  local_objects::good(server.store->create(local_objects::served("pods"), local_objects::pod("a")));
  CHECK(changes_of(*stream) == Changes{"ADDED a"});
}

TEST_CASE("a version of the future is waited for, one that is no number is refused") {
  ApiServer server;
  const auto stream =
      watch(server, cat(k_maps, "?watch=1&resourceVersion=", server.store->version() + 2));
  for (const char* name : {"a", "b", "c"}) server.make_map(name);
  CHECK(changes_of(*stream) == Changes{"ADDED c"});
  CHECK(server.get(k_maps + "?watch=1&resourceVersion=abc").code == 400);
}

TEST_CASE("the reader may drop the stream when it is called") {
  ApiServer server;
  auto stream = watch(server, k_maps + since(server));
  CHECK(stream->read(10) == "");
  stream->on_ready([&] { stream = nullptr; });
  server.make_map("a");
  local_objects::settle(server.loop);
  CHECK(stream == nullptr);
}

// A client that lists, watches, is cut off at random and resumes from the last version it saw must
// hold the server's objects at the end, having seen each change once.
TEST_CASE("a watch resumed at random moments loses nothing and repeats nothing") {
  for (unsigned seed_number = 1; seed_number <= 20; ++seed_number) {
    ApiServer server;
    std::minstd_rand random(seed_number);
    const bool selective = seed_number % 2 == 0;
    const std::string selector = selective ? "&labelSelector=on" : "";
    std::map<std::string, Json> known;
    const Json list = server.good(server.get(k_maps + "?x" + selector));
    for (const Json& item : array_at(list, "/items")) known[text_at(item, "/metadata/name")] = item;
    std::string version = text_at(list, "/metadata/resourceVersion");
    auto stream = watch(server, k_maps + "?watch=1&resourceVersion=" + version + selector);

    const auto follow = [&] {
      for (Json& line : lines_of(*stream)) {
        const std::string type = text_at(line, "/type");
        const std::string name = text_at(line, "/object/metadata/name");
        const std::string seen = text_at(line, "/object/metadata/resourceVersion");
        CHECK(std::stoll(seen) > std::stoll(version));
        CHECK((type == "ADDED") == !known.contains(name));
        version = seen;
        known.erase(name);
        if (type != "DELETED") known[name] = line["object"];
      }
    };
    for (int step = 0; step < 300; ++step) {
      const std::string name = cat("m", random() % 6);
      const Json labels = random() % 2 == 0 ? Json{{"on", "1"}} : Json{{"on", nullptr}};
      switch (random() % 6) {
        case 0:
          (void)server.post(k_maps, {{"metadata", {{"name", name}}}});
          break;
        case 1:
          (void)server.send("DELETE", k_maps + "/" + name);
          break;
        case 2:
          (void)server.patch(k_maps + "/" + name, {{"metadata", {{"labels", labels}}}});
          break;
        case 3:
          (void)server.patch(k_maps + "/" + name, {{"data", {{"v", std::to_string(step)}}}});
          break;
        case 4:
          local_objects::settle(server.loop);
          follow();
          break;
        default:
          if (random() % 3 != 0) break;
          follow();
          stream = watch(server, k_maps + "?watch=1&resourceVersion=" + version + selector);
      }
    }
    follow();
    std::map<std::string, std::string> expected;
    for (const auto& object : server.store->list(local_objects::served("configmaps"), "default")) {
      if (selective && find(*object, "/metadata/labels/on") == nullptr) continue;
      expected[text_at(*object, "/metadata/name")] = text_at(*object, "/metadata/resourceVersion");
    }
    std::map<std::string, std::string> held;
    for (const auto& [name, object] : known) {
      held[name] = text_at(object, "/metadata/resourceVersion");
    }
    CHECK(held == expected);
  }
}

}  // namespace watch_test
