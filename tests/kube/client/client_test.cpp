// The client must send exactly what was asked, once, and never take a failure for an answer.
#include "kube/client/client.h"

#include <doctest/doctest.h>

#include "kube/client/client_cluster.h"

namespace client_test {

TEST_CASE("RQ-02: get asks for the object, as JSON, within a minute") {
  FakeCluster cluster({reply("GET", k_jobs + "/ddp", R"({"kind":"PyTorchJob"})")});
  const auto job = cluster.client->get(k_job, "team", "ddp");
  REQUIRE(job);
  CHECK(text_at(*job, "/kind") == "PyTorchJob");
  REQUIRE(cluster.transport->seen.size() == 1);
  const net::Request& request = cluster.transport->seen[0];
  CHECK(has(header(request, "Accept"), "application/json"));
  CHECK(request.timeout == Duration(60s));
  CHECK(request.lane == net::Lane::control);
  CHECK(cluster.transport->complaints().empty());
}

TEST_CASE("--request-timeout=0 lets a call take its time, and does not make a stream of it") {
  for (const auto& [given, meant] : {std::pair{0s, net::k_no_timeout}, {5s, Duration(5s)}}) {
    FakeCluster cluster({reply("GET", k_jobs + "/ddp", R"({"kind":"PyTorchJob"})")}, given);
    CHECK(cluster.client->get(k_job, "team", "ddp"));
    REQUIRE(cluster.transport->seen.size() == 1);
    CHECK(cluster.transport->seen[0].timeout == meant);
  }
}

TEST_CASE("an empty name never becomes a request for, or the deletion of, the whole collection") {
  FakeCluster cluster({});
  CHECK(cluster.client->get(k_job, "team", "").error().code == Code::usage);
  CHECK(cluster.client->remove(k_job, "team", "").error().code == Code::usage);
  CHECK(cluster.client->merge_patch(k_job, "team", "", Json::object()).error().code == Code::usage);
  CHECK(cluster.transport->seen.empty());
}

TEST_CASE("RQ-26: a create whose answer was lost is distinguished from one that was refused") {
  Exchange lost;
  lost.method = "POST";
  lost.path = k_jobs;
  lost.ending = "reset";
  FakeCluster cluster(
      {lost, reply("POST", k_jobs, status_text(409, "AlreadyExists", "it exists"), 409)});
  const auto first = cluster.client->create(k_job, "team", Json::object());
  REQUIRE(std::holds_alternative<Failure>(first));
  CHECK(std::get<Failure>(first).refusal.status == 0);
  CHECK(std::get<Failure>(first).transient);
  CHECK(std::get<Failure>(first).error.code == Code::unreachable);
  const auto second = cluster.client->create(k_job, "team", Json::object());
  REQUIRE(std::holds_alternative<Failure>(second));
  CHECK(std::get<Failure>(second).refusal.status == 409);
  CHECK(std::get<Failure>(second).refusal.reason == "AlreadyExists");
  CHECK(cluster.transport->seen.size() == 2);
}

TEST_CASE("RQ-41: delete names the uid it means, so that a namesake survives") {
  Exchange removal = reply("DELETE", k_jobs + "/ddp", R"({"kind":"Status","status":"Success"})");
  removal.body = Json{{"propagationPolicy", "Background"}, {"preconditions", {{"uid", "u1"}}}};
  FakeCluster cluster({removal});
  CHECK(cluster.client->remove(k_job, "team", "ddp", {"u1"}));
  CHECK(cluster.transport->complaints().empty());
}

TEST_CASE("deleting what is not there is reported as not found") {
  FakeCluster cluster(
      {reply("DELETE", k_jobs + "/ddp", status_text(404, "NotFound", "not found"), 404)});
  CHECK(cluster.client->remove(k_job, "team", "ddp").error().code == Code::not_found);
}

TEST_CASE("RQ-07: a patch is a merge patch, which custom resources understand") {
  Exchange patch = reply("PATCH", k_jobs + "/ddp", R"({"kind":"PyTorchJob"})");
  patch.body = Json{{"spec", {{"suspend", true}}}};
  FakeCluster cluster({patch});
  const Json change{{"spec", {{"suspend", true}}}};
  CHECK(cluster.client->merge_patch(k_job, "team", "ddp", change));
  CHECK(header(cluster.transport->seen[0], "Content-Type") == "application/merge-patch+json");
}

TEST_CASE("a list comes page by page, all of it") {
  FakeCluster cluster({page("", {"a", "b"}, "t1"), page("t1", {"c"}, "")});
  std::vector<std::string> names;
  const Status listed = cluster.client->list(k_pods, "team", {}, [&](Json one) {
    for (const Json& item : array_at(one, "/items"))
      names.push_back(text_at(item, "/metadata/name"));
  });
  CHECK(listed);
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("RQ-34: a list that expires between pages starts again once, and its owner knows") {
  Exchange expired = page("t1", {}, "");
  expired.status = 410;
  expired.chunks[0].data = status_text(410, "Expired", "too old");
  FakeCluster cluster(
      {page("", {"a"}, "t1"), expired, page("", {"a"}, "t2"), page("t2", {"b"}, "")});
  std::vector<std::string> names;
  const Status listed = cluster.client->list(
      k_pods, "team", {},
      [&](Json one) {
        for (const Json& item : array_at(one, "/items")) {
          names.push_back(text_at(item, "/metadata/name"));
        }
      },
      [&] { names.clear(); });
  CHECK(listed);
  CHECK(names == std::vector<std::string>{"a", "b"});
}

TEST_CASE("RQ-35: a list that expires for ever is an error, not an endless loop") {
  Exchange expired = page("t1", {}, "");
  expired.status = 410;
  expired.chunks[0].data = status_text(410, "Expired", "too old");
  expired.repeat = true;
  Exchange first = page("", {"a"}, "t1");
  first.repeat = true;
  FakeCluster cluster({expired, first});
  CHECK_FALSE(cluster.client->list(k_pods, "team", {}, [](Json) {}));
  CHECK(cluster.transport->seen.size() == 4);
}

}  // namespace client_test

namespace client_test {

using namespace trainctl;
using namespace trainctl::kube;

using Texts = std::vector<std::string>;

TEST_CASE("RQ-32: the server's warnings are shown as it means them") {
  CHECK(warning_texts(R"(299 - "unknown field \"spec.cleanPodPolicy\"")") ==
        Texts{R"(unknown field "spec.cleanPodPolicy")"});
  CHECK(
      warning_texts(R"(299 - "one" "Sat, 25 Aug 2012 23:34:45 GMT", 299 agent "two, still two")") ==
      Texts{"one", "two, still two"});
}

TEST_CASE("RQ-32: other codes, empty texts and control characters do not reach the terminal") {
  CHECK(warning_texts(R"(199 - "misc", 299 - "kept")") == Texts{"kept"});
  CHECK(warning_texts(R"(299 - "")").empty());
  CHECK(warning_texts("299 - \"bad \xff bytes\"").empty());
  const Texts escaped = warning_texts("299 - \"red \x1b[31m text\"");
  REQUIRE(escaped.size() == 1);
  CHECK(escaped[0].find('\x1b') == std::string::npos);
}

TEST_CASE("RQ-32: a malformed warning is left out, and what stands before it is kept") {
  CHECK(warning_texts(R"(299 - "good", 299 - "no end)") == Texts{"good"});
  for (const char* text : {"", ",", "299", "299 -", "299 - text", "29 - \"x\"", "\"299\""}) {
    CAPTURE(text);
    CHECK(warning_texts(text).empty());
  }
}

}  // namespace client_test

// Warnings report deprecated fields: shown once, readable, and harmless to the terminal.
