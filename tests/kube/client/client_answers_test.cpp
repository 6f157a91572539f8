// Refusals, warnings, odd answers and streams, as the client reads them.
#include "kube/client/client_cluster.h"

namespace client_answers_test {

TEST_CASE("selectors reach the server unchanged") {
  Exchange listed = page("", {"a"}, "");
  listed.query = {{"labelSelector", "a=b,c in (d,e)"}, {"fieldSelector", "metadata.name=x"}};
  FakeCluster cluster({listed});
  CHECK(cluster.client->list(k_pods, "team", {"a=b,c in (d,e)", "metadata.name=x"}, [](Json) {}));
}

TEST_CASE("a second 401 is the answer") {
  Exchange refused = reply("GET", k_jobs + "/ddp", status_text(401, "Unauthorized", "x"), 401);
  refused.repeat = true;
  PluginCluster cluster({refused});
  CHECK(cluster.client->get(k_job, "team", "ddp").error().code == Code::auth);
  CHECK(cluster.transport->seen.size() == 2);
}

TEST_CASE("a credential that cannot be had is the answer, and nothing is sent") {
  PluginCluster cluster({});
  cluster.loop.children = {{"login", 1, "", false, {}}};
  CHECK(cluster.client->get(k_job, "team", "ddp").error().code == Code::auth);
  CHECK(cluster.transport->seen.empty());
}

TEST_CASE("RQ-19: a 200 that is empty, no JSON or a failed Status is no success") {
  FakeCluster cluster({reply("GET", k_jobs + "/a", ""), reply("GET", k_jobs + "/b", "<html>login"),
                       reply("GET", k_jobs + "/c", status_text(404, "NotFound", "gone"))});
  CHECK(cluster.client->get(k_job, "team", "a").error().code == Code::unreachable);
  CHECK(cluster.client->get(k_job, "team", "b").error().code == Code::unreachable);
  CHECK(cluster.client->get(k_job, "team", "c").error().code == Code::not_found);
}

TEST_CASE("a list ends, although a hostile server gives the same page token again and again") {
  Exchange first = page("", {"a"}, "same");
  Exchange again = page("same", {"b"}, "same");
  again.repeat = true;
  FakeCluster cluster({first, again});
  const Status listed = cluster.client->list(k_pods, "team", {}, [](Json) {});
  REQUIRE_FALSE(listed);
  CHECK(listed.error().code == Code::unreachable);
  CHECK(cluster.transport->seen.size() == 2);
}

TEST_CASE("a list has an end, although a hostile server has a new token for every page") {
  Pages pages;
  int followed = 0;
  while (followed < 1'000'000 && pages.follow("token " + std::to_string(followed))) ++followed;
  CHECK(followed > 200);
  CHECK(followed <= 500);
}

// The pages that are read of a list without end whose pages are all like this one.
int pages_read(Json page) {
  Pages pages;
  for (int read = 0; read < 1'000'000; ++read) {
    page["metadata"]["continue"] = "token " + std::to_string(read);
    if (!pages.token_behind(page)) return read;
  }
  return 1'000'000;
}

TEST_CASE("a list without end costs little, and one of 100,000 jobs is read") {
  const auto list_of = [](std::size_t count, const Json& item) {
    return Json{{"kind", "PodList"}, {"items", std::vector<Json>(count, item)}};
  };
  CHECK(pages_read(list_of(0, {})) <= 105);
  CHECK(pages_read(list_of(1, Json::object())) <= 105);
  const Json job = {{"metadata", {{"name", "ddp"}}}, {"spec", std::string(20'000, 'x')}};
  CHECK(pages_read(list_of(500, job)) >= 200);
  const std::string large(std::size_t{50} << 20, 'x');
  CHECK(pages_read(list_of(5, large)) <= 20);
}

TEST_CASE("an answer above its limit is given up while it comes") {
  Exchange large = reply("GET", k_jobs + "/ddp", "{");
  large.chunks.push_back({1s, std::string(net::k_answer_limit, ' ')});
  large.chunks.push_back({2h, "}"});
  FakeCluster cluster({large});
  const Time start = cluster.loop.now();
  const auto got = cluster.client->get(k_job, "team", "ddp");
  REQUIRE_FALSE(got);
  CHECK(has(got.error().message, "is above 64 MiB"));
  CHECK(cluster.loop.now() - start < Duration(2s));
}

TEST_CASE("answers that share a limit are given up while they come, once it is used up") {
  Exchange one = reply("GET", k_jobs + "/a", "{}");
  one.chunks = {{1s, "{"}, {1s, std::string(600, ' ')}, {2h, "}"}};
  Exchange other = one;
  other.path = k_jobs + "/b";
  FakeCluster cluster({one, other});
  const auto room = std::make_shared<std::size_t>(1000);
  std::vector<std::variant<Json, Failure>> answers;
  std::vector<HandlePtr> handles;
  for (const char* name : {"/a", "/b"}) {
    net::Request request;
    request.target = k_jobs + name;
    request.shared_room = room;
    request.timeout = net::k_no_timeout;
    handles.push_back(cluster.client->fetch(
        std::move(request), [&](auto answer) { answers.push_back(std::move(answer)); }));
  }
  cluster.loop.run_until([&] { return !answers.empty(); });
  REQUIRE(std::holds_alternative<Failure>(answers[0]));
  CHECK(std::get<Failure>(answers[0]).crowded);
  CHECK(*room < 1000 - 600);
}

TEST_CASE("lists that share a limit end when their sum reaches it, and give back what they drop") {
  const auto together = std::make_shared<std::size_t>(k_most_list_memory - 1000);
  Pages pages(together);
  const Json page = {{"kind", "PodList"},
                     {"metadata", {{"continue", "more"}}},
                     {"items", {{{"spec", std::string(400, 'x')}}}}};
  CHECK(pages.token_behind(page));
  pages.restart();
  CHECK(*together == k_most_list_memory - 1000);
  CHECK(pages.token_behind(page));
  Pages last(together);
  Json end = page;
  end["metadata"] = Json::object();
  CHECK_FALSE(last.token_behind(end));
}

TEST_CASE("an answer that never comes ends after the request's time") {
  Exchange silent = reply("GET", k_jobs + "/ddp", "");
  silent.chunks.clear();
  silent.ending = "never";
  FakeCluster cluster({silent});
  const Time start = cluster.loop.now();
  CHECK(cluster.client->get(k_job, "team", "ddp").error().code == Code::unreachable);
  CHECK(cluster.loop.now() - start == Duration(60s));
}

TEST_CASE("a stream has no time limit, and its error comes with what the server said") {
  Exchange slow = reply("GET", "/slow", "one");
  slow.chunks.push_back({2h, "two"});
  FakeCluster cluster(
      {slow, reply("GET", "/no", status_text(403, "Forbidden", "exceeded quota"), 403)});
  std::string data;
  int opened = 0;
  std::optional<std::optional<Failure>> end;
  StreamHandlers handlers{[&](int status) { opened = status; },
                          [&](std::string_view piece) { data += piece; },
                          [&](std::optional<Failure> failure) { end = std::move(failure); }};
  net::Request request;
  request.target = "/slow";
  const HandlePtr slow_handle = cluster.client->stream(request, handlers);
  cluster.loop.run_until([&] { return end.has_value(); });
  CHECK_FALSE(end->has_value());
  CHECK(opened == 200);
  CHECK(data == "onetwo");

  end.reset();
  opened = 0;
  request.target = "/no";
  const HandlePtr refused_handle = cluster.client->stream(request, handlers);
  cluster.loop.run_until([&] { return end.has_value(); });
  REQUIRE(end->has_value());
  CHECK((*end)->refusal.status == 403);
  CHECK(opened == 0);
  CHECK(data == "onetwo");
}

TEST_CASE("a stream given up in the middle of its data delivers nothing more") {
  Exchange endless = reply("GET", "/log", "one");
  endless.chunks.push_back({1s, "two"});
  FakeCluster cluster({endless});
  HandlePtr handle;
  int pieces = 0;
  bool ended = false;
  net::Request request;
  request.target = "/log";
  handle = cluster.client->stream(request, {{},
                                            [&](std::string_view) {
                                              ++pieces;
                                              handle.reset();
                                            },
                                            [&](std::optional<Failure>) { ended = true; }});
  bool over = false;
  const HandlePtr timer = cluster.loop.after(10s, [&] { over = true; });
  cluster.loop.run_until([&] { return over; });
  CHECK(pieces == 1);
  CHECK_FALSE(ended);
}

}  // namespace client_answers_test
