// A user would lose the record of a run, or a submit would fail for a history that is of no use.
#include "history/history.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "support/net_server.h"

namespace trainctl::testing {
namespace history_test {

namespace fs = std::filesystem;
using std::chrono::hours;

const Time k_now = *parse_time("2026-01-02T03:04:05Z");

work::PastRun a_run(const std::string& name, Time submitted = k_now) {
  work::PastRun run;
  run.name = name;
  run.ns = "team";
  run.uid = cat("uid-of-", name);
  run.submitted = submitted;
  run.manifest = {{"kind", "PyTorchJob"}};
  return run;
}

std::string names(const Result<std::vector<work::PastRun>>& runs) {
  if (!runs) return runs.error().message;
  std::string all;
  for (const work::PastRun& run : *runs) all += run.name + ' ';
  return all;
}

TEST_CASE("the newest run comes first, and a verdict completes the record of its submission") {
  work::History history(":memory:");
  REQUIRE(history.keep(a_run("old", k_now - hours(2)), k_now));
  REQUIRE(history.keep(a_run("new"), k_now));
  work::PastRun ended = a_run("old", k_now - hours(2));
  ended.ended = k_now;
  ended.verdict = "failed";
  ended.exit_status = 3;
  ended.message = "worker-0 exited 7";
  ended.manifest = {{"kind", "another"}};
  REQUIRE(history.keep(ended, k_now));
  CHECK(names(history.list({})) == "new old ");
  CHECK(names(history.list({"", "old", 0})) == "old ");
  CHECK(names(history.list({"elsewhere", "", 0})).empty());
  CHECK(names(history.list({"", "", 1})) == "new ");
  const auto old = history.find(1);
  REQUIRE(old);
  CHECK(old->verdict == "failed");
  CHECK(old->exit_status == 3);
  CHECK(text_at(old->manifest, "/kind") == "PyTorchJob");
  CHECK(history.find(7).error().code == Code::not_found);

  work::PastRun given_up = a_run("old");
  given_up.verdict = "timed-out";
  REQUIRE(history.keep(given_up, k_now));
  CHECK(history.find(1)->verdict == "failed");

  // A command that came when the pods were gone knows only the operator's words.
  ended.message = "1 Worker replica(s) failed";
  REQUIRE(history.keep(ended, k_now));
  CHECK(history.find(1)->message == "worker-0 exited 7");
}

TEST_CASE("the metrics of a run stay whole when a later command has seen less of it") {
  const auto seen_to = [](int step) {
    work::PastRun run = a_run("ddp");
    run.metrics =
        Json::parse(cat(R"({"step": )", step, R"(, "restarts": [)", step,
                        R"(], "series": [{"name": "loss", "points": [[)", step, ", 0, 0.5]]}]}"));
    return run;
  };
  work::History history(":memory:");
  for (const int step : {10, 20, 5}) REQUIRE(history.keep(seen_to(step), k_now));
  const auto run = history.find(1);
  REQUIRE(run);
  CHECK(run->metrics == seen_to(20).metrics);
  const auto listed = history.list({});
  REQUIRE(listed);
  CHECK(int_at(listed->front().metrics, "/step") == 20);
  CHECK(find(listed->front().metrics, "/series/0/points") == nullptr);
}

TEST_CASE("the end of a log that was read later replaces what an early reader has seen") {
  work::History history(":memory:");
  work::PastRun early = a_run("ddp");
  early.metrics = {{"step", 20}, {"series", {{{"name", "loss"}, {"points", {{20, 0, 0.5}}}}}}};
  early.metrics["endsEarly"] = true;
  REQUIRE(history.keep(early, k_now));
  work::PastRun end = a_run("ddp");
  end.metrics = {{"step", 90}, {"series", {{{"name", "loss"}}}}};
  REQUIRE(history.keep(end, k_now));
  const auto run = history.find(1);
  REQUIRE(run);
  CHECK(int_at(run->metrics, "/step") == 90);
  CHECK_FALSE(run->metrics_end_early());

  work::PastRun again = a_run("epochs");  // a program that prints no steps
  again.metrics = {{"series", {{{"name", "loss"}, {"points", {{1, 0, 0.5}}}}}},
                   {"endsEarly", true}};
  REQUIRE(history.keep(again, k_now));
  again.metrics = {{"series", {{{"name", "loss"}}}}};
  REQUIRE(history.keep(again, k_now));
  REQUIRE(history.find(2));
  CHECK_FALSE(history.find(2)->metrics_end_early());
}

TEST_CASE("runs beyond the bounds go, oldest first, and a huge manifest is not kept") {
  work::History history(":memory:");
  REQUIRE(history.keep(a_run("ancient", k_now - work::k_oldest_run + hours(1)), k_now));
  REQUIRE(history.keep(a_run("young", k_now), k_now + hours(2)));
  CHECK(names(history.list({})) == "young ");
  for (std::size_t i = 0; i < work::k_most_runs; ++i) {
    REQUIRE(history.keep(a_run(cat("job-", i)), k_now));
  }
  CHECK(history.list({})->size() == work::k_most_runs);
  CHECK(names(history.list({"", "young", 0})).empty());

  work::PastRun large = a_run("large");
  large.manifest = {{"args", std::string(work::k_longest_manifest, 'x')}};
  REQUIRE(history.keep(large, k_now));
  const auto kept = history.list({"", "large", 0});
  REQUIRE(kept->size() == 1);
  CHECK(history.find(kept->front().number)->manifest.is_null());
}

TEST_CASE("the file is its owner's alone, is made when there is something to note, and is shared") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/state/trainctl/history.db";
  work::History reader(path);
  CHECK(reader.list({})->empty());
  CHECK_FALSE(std::filesystem::exists(path));
  work::History writer(path);
  REQUIRE(writer.keep(a_run("ddp"), k_now));
  CHECK(names(reader.list({})) == "ddp ");
  using std::filesystem::perms;
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
  CHECK(std::filesystem::status(directory_of(path)).permissions() == perms::owner_all);
}

TEST_CASE("no record is lost when a dozen jobs are submitted and end at once") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/history.db";
  constexpr std::size_t k_writers = 12, k_runs_of_each = 2;
  std::vector<Status> kept(k_writers);
  std::vector<std::thread> writers;
  for (std::size_t writer = 0; writer < k_writers; ++writer) {
    writers.emplace_back([&path, &status = kept[writer], writer] {
      work::History history(path);
      for (std::size_t run = 0; status && run < k_runs_of_each; ++run) {
        status = history.keep(a_run(cat(writer, '-', run)), k_now);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (const Status& status : kept) CHECK(status);
  CHECK(work::History(path).list({})->size() == k_writers * k_runs_of_each);
}

TEST_CASE("a file that another process holds, or that is no history, is an error that names it") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/history.db";
  work::History history(path);
  REQUIRE(history.keep(a_run("ddp"), k_now));
  const auto other = Sqlite::open(path, Duration{});
  REQUIRE(other);
  REQUIRE((*other)->execute("BEGIN EXCLUSIVE"));
  const Status locked = history.keep(a_run("two"), k_now);
  REQUIRE_FALSE(locked);
  CHECK(locked.error().message == cat(path, ": database is locked"));
  REQUIRE((*other)->execute("ROLLBACK"));
  CHECK(history.keep(a_run("two"), k_now));

  const std::string noise = directory.path() + "/noise.db";
  std::ofstream(noise) << std::string(4096, 'x');
  const Status damaged = work::History(noise).keep(a_run("ddp"), k_now);
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().message == cat(noise, ": file is not a database"));
  CHECK(damaged.error().hint ==
        cat("move the file away to start over: mv ", noise, " ", noise, ".damaged"));
}

TEST_CASE("a history that somebody else may have written is refused") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/history.db";
  REQUIRE(work::History(path).keep(a_run("ddp"), k_now));
  const auto refusal = [&path] {
    const auto runs = work::History(path).list({});
    return runs ? "" : runs.error().message;
  };
  CHECK(refusal().empty());
  fs::permissions(path, fs::perms::all);
  CHECK(refusal() == path + " may be written by others");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(directory.path(), fs::perms::all);
  CHECK(refusal() == cat("directory ", directory.path(), " may be written by everybody"));
  fs::permissions(directory.path(), fs::perms::owner_all);
  if (::geteuid() == 0) {
    REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
    // A directory of root is trusted, and so is what belongs to this user.
    CHECK(refusal() == path + " belongs to another user");
  }
  fs::rename(path, path + ".moved");
  fs::create_symlink(path + ".moved", path);
  CHECK(refusal() == path + " is a symbolic link");
  fs::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(refusal() == path + " is not a regular file");
}

TEST_CASE("a damaged record hides no other") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/history.db";
  work::History history(path);
  REQUIRE(history.keep(a_run("one"), k_now));
  REQUIRE(history.keep(a_run("two"), k_now));
  const auto other = Sqlite::open(path, Duration{});
  REQUIRE((*other)->execute("UPDATE runs SET facts = '{\"na' WHERE number = 1"));
  CHECK(names(history.list({})) == "two ");
}

TEST_CASE("the history lies where the state of programs does") {
  const auto path = [](std::map<std::string, std::string, std::less<>> variables) {
    return work::history_path(Environment(std::move(variables)));
  };
  CHECK(path({{"HOME", "/h"}}) == "/h/.local/state/trainctl/history.db");
  CHECK(path({{"HOME", "/h"}, {"XDG_STATE_HOME", "/s"}}) == "/s/trainctl/history.db");
  CHECK(path({{"HOME", "/h"}, {"XDG_STATE_HOME", "s"}}) == "/h/.local/state/trainctl/history.db");
  CHECK(path({}).empty());
  CHECK(path({{"HOME", "/"}}).empty());  // a container's user without a home
  CHECK(path({{"HOME", "/"}, {"XDG_STATE_HOME", "/s"}}) == "/s/trainctl/history.db");
}

}  // namespace history_test
}  // namespace trainctl::testing
