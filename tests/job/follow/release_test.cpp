// What a user would lose: a job that starts before the one it waits for, or never.
#include "job/follow/release.h"

#include <doctest/doctest.h>

#include "job/follow/following.h"
#include "job/objects.h"

namespace trainctl::job {
namespace TEST_FILE {

using namespace trainctl::testing;

Json waiting_job(std::string_view annotation, const std::string& jobs) {
  Json job = pytorch_job(0, "[" + condition("Suspended", "True") + "]");
  job["metadata"]["resourceVersion"] = "7";
  job["metadata"]["annotations"][std::string(annotation)] = jobs;
  job["spec"]["runPolicy"]["suspend"] = true;
  return job;
}

Json prep(std::string_view ended) {
  Json job = pytorch_job(0, ended.empty() ? "[]" : "[" + condition(ended, "True") + "]");
  job["metadata"]["name"] = "prep";
  job["metadata"]["uid"] = "prep-uid";
  return job;
}

Exchange list_of(std::string_view name, std::vector<Json> items) {
  Exchange exchange = list(std::string(k_jobs), std::move(items));
  exchange.query = {{"fieldSelector", cat("metadata.name=", name)}};
  return exchange;
}

Exchange watch_of(std::string_view name, std::vector<Change> changes) {
  Exchange exchange = watch(std::string(k_jobs), std::move(changes));
  exchange.query.push_back({"fieldSelector", cat("metadata.name=", name)});
  return exchange;
}

Exchange resuming(int status = 200) {
  Exchange exchange;
  exchange.method = "PATCH";
  exchange.path = cat(k_jobs, "/ddp");
  exchange.status = status;
  exchange.chunks = {
      {Duration{}, status == 200 ? "{}" : R"({"kind":"Status","status":"Failure"})"}};
  return exchange;
}

struct Released {
  std::vector<Json> patches;
  std::optional<Error> stopped;
  std::string trouble;
  std::vector<std::string> complaints;
};

// What happens within a minute of the loop's time.
Released release(const Json& job, std::vector<Exchange> exchanges) {
  FakeCluster cluster(std::move(exchanges));
  Released released;
  Release release(*cluster.client, *find_kind("pytorch"),
                  {.on_trouble = [&](const std::string& notice) { released.trouble = notice; },
                   .on_stop = [&](Error error) { released.stopped = std::move(error); }});
  bool over = false;
  const HandlePtr end = cluster.loop.after(std::chrono::minutes(1), [&over] { over = true; });
  release.see(job);
  cluster.loop.run_until([&over] { return over; });
  for (const net::Request& request : cluster.transport->seen) {
    if (request.method == "PATCH") released.patches.push_back(Json::parse(request.body));
  }
  released.complaints = cluster.transport->complaints();
  return released;
}

TEST_CASE("a job is started once the one before it has ended, and in the state that was seen") {
  const Released released =
      release(waiting_job("trainctl/after", "prep"),
              {watch_of("prep", {{std::chrono::seconds(20), "MODIFIED", prep("Failed")}}),
               list_of("prep", {prep("")}), resuming()});
  CHECK(released.complaints.empty());
  REQUIRE(released.patches.size() == 1);
  const Json& patch = released.patches.front();
  CHECK(patch["spec"]["runPolicy"]["suspend"] == false);
  CHECK(patch["metadata"]["resourceVersion"] == "7");
  CHECK(patch["metadata"]["annotations"]["trainctl/after"].is_null());
}

TEST_CASE("a job is not started while one of several goes on") {
  Json tok = prep("Running");
  tok["metadata"]["name"] = "tok";
  const Released released = release(waiting_job("trainctl/after", "prep,tok"),
                                    {watch_of("prep", {}), watch_of("tok", {}),
                                     list_of("prep", {prep("Succeeded")}), list_of("tok", {tok})});
  CHECK(released.patches.empty());
  CHECK_FALSE(released.stopped);
}

TEST_CASE("--after-ok: a job whose predecessor has no success is never started") {
  struct {
    std::string_view ended;
    std::string said;
  } rows[] = {
      {"Failed", "ddp was not started: prep has failed; --after-ok waits for its success"},
      {"gone",
       "ddp was not started: prep is gone, and was never seen to succeed; --after-ok waits for "
       "its "
       "success"},
  };
  for (const auto& row : rows) {
    const bool is_gone = row.ended == "gone";
    const Released released =
        release(waiting_job("trainctl/after-ok", "prep"),
                {watch_of("prep", {}),
                 list_of("prep", is_gone ? std::vector<Json>() : std::vector{prep(row.ended)})});
    CHECK(released.patches.empty());
    REQUIRE(released.stopped);
    CHECK(released.stopped->code == Code::not_started);
    CHECK(released.stopped->message == row.said);
    CHECK(released.stopped->hint == "start the job anyway: trainctl resume ddp");
  }
}

TEST_CASE("--after: a predecessor that is gone has ended") {
  const Released released = release(waiting_job("trainctl/after", "prep"),
                                    {watch_of("prep", {}), list_of("prep", {}), resuming()});
  CHECK(released.patches.size() == 1);
}

TEST_CASE("a chain is started by whoever follows its last job") {
  Json tok = waiting_job("trainctl/after", "prep");
  tok["metadata"]["name"] = "tok";
  tok["metadata"]["uid"] = "tok-uid";
  Exchange start_tok = resuming();
  start_tok.path = cat(k_jobs, "/tok");
  const Released released =
      release(waiting_job("trainctl/after", "tok"),
              {watch_of("prep", {}), watch_of("tok", {}), list_of("prep", {prep("Succeeded")}),
               list_of("tok", {tok}), start_tok});
  CHECK(released.complaints.empty());
  CHECK(released.patches.size() == 1);
}

TEST_CASE("a job is told that it will never start, when the one before it will not") {
  Json tok = waiting_job("trainctl/after-ok", "prep");
  tok["metadata"]["name"] = "tok";
  tok["metadata"]["uid"] = "tok-uid";
  const Released released = release(waiting_job("trainctl/after", "tok"),
                                    {watch_of("prep", {}), watch_of("tok", {}),
                                     list_of("prep", {prep("Failed")}), list_of("tok", {tok})});
  REQUIRE(released.stopped);
  CHECK(released.stopped->message ==
        "ddp was not started, since tok was not started: prep has failed; --after-ok waits for its "
        "success");
}

TEST_CASE("jobs that wait for each other are named, and not waited for") {
  Json tok = waiting_job("trainctl/after", "ddp");
  tok["metadata"]["name"] = "tok";
  tok["metadata"]["uid"] = "tok-uid";
  const Released released =
      release(waiting_job("trainctl/after", "tok"), {watch_of("tok", {}), list_of("tok", {tok})});
  REQUIRE(released.stopped);
  CHECK(released.stopped->message.find("ddp, tok: these jobs wait for each other") !=
        std::string::npos);
}

TEST_CASE("a predecessor that is replaced under its name is waited for as the new one") {
  Json again = prep("Succeeded");
  again["metadata"]["uid"] = "prep-uid-2";
  Exchange first = list_of("prep", {prep("")});
  first.repeat = false;
  const Released released =
      release(waiting_job("trainctl/after-ok", "prep"),
              {watch_of("prep", {{std::chrono::seconds(5), "DELETED", prep("")}}),
               watch_of("prep", {}), first, list_of("prep", {again}), resuming()});
  CHECK_FALSE(released.stopped);
  CHECK(released.patches.size() == 1);
}

TEST_CASE("a job that somebody else has changed is not touched in its old state again") {
  const Released released =
      release(waiting_job("trainctl/after", "prep"),
              {watch_of("prep", {}), list_of("prep", {prep("Succeeded")}), resuming(409)});
  CHECK(released.patches.size() == 1);
  CHECK_FALSE(released.stopped);
}

TEST_CASE("a user who may not start it is told so; a server that is busy is asked again") {
  const Released refused =
      release(waiting_job("trainctl/after", "prep"),
              {watch_of("prep", {}), list_of("prep", {prep("Succeeded")}), resuming(403)});
  REQUIRE(refused.stopped);
  CHECK(refused.stopped->code == Code::auth);
  const Released busy = release(
      waiting_job("trainctl/after", "prep"),
      {watch_of("prep", {}), list_of("prep", {prep("Succeeded")}), resuming(503), resuming()});
  CHECK_FALSE(busy.stopped);
  CHECK(busy.patches.size() == 2);
  CHECK(busy.trouble.starts_with("cannot start ddp yet: "));
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
