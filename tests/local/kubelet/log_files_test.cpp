// Logs that grow without an end, and disks that are full.
#include "local/kubelet/log_files.h"

#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/kubelet/guard_ground.h"

namespace log_files_test {

using namespace trainctl;
using namespace trainctl::local;

constexpr std::string_view k_head = "2026-11-21T09:00:00.000000000Z stdout F ";

// A log of files by hand: each line is a record.
struct FilesByHand {
  void write(int number, const std::vector<std::string>& lines) const {
    std::ofstream file(log_path(place.path(), number), std::ios::app);
    for (const std::string& line : lines) file << k_head << line << '\n';
  }
  std::string read(const LogQuestion& question) {
    const auto stream = open_log(watcher, place.path(), question);
    std::string text;
    while (const auto part = stream->read(4096)) text += *part;
    return text;
  }

  testing::TemporaryDirectory place;
  UvLoop loop;
  LogWatcher watcher{loop};
};

TEST_CASE(
    "A log without an end takes bounded room, and its newest lines are there without a hole") {
  Ground ground;
  auto order = ground.shell("seq 1 100000");
  order.log_file_size = off_t{256} << 10;
  CHECK(ground.run(order).code == 0);
  const auto numbers = log_numbers(order.directory);
  CHECK(numbers.size() == k_log_files);
  CHECK(numbers.front() > 0);
  const auto lines = split(trim(ground.output(order)), '\n');
  REQUIRE(lines.back() == "100000");
  const long first = 100'001 - static_cast<long>(lines.size());
  CHECK(lines.size() > 10'000);
  CHECK(lines.front() == cat(first));
}

TEST_CASE("The runs of a job's replicas share its limit, and each has room for fifty MiB") {
  CHECK(log_files_of_run(std::int64_t{2} << 30, 1) == 40);
  CHECK(log_files_of_run(std::int64_t{2} << 30, 4) == 10);
  CHECK(log_files_of_run(std::int64_t{2} << 30, 1000) == k_log_files);
  CHECK(log_files_of_run(0, 0) == k_log_files);
}

TEST_CASE("A follower goes from file to file and misses nothing") {
  Ground ground;
  const std::string go = ground.place.path() + "/go";
  REQUIRE(::mkfifo(go.c_str(), 0600) == 0);
  auto order = ground.shell(cat("exec 3< ", go, "; for i in 1 2 3 4 5 6 7 8; do seq ${i}0000 ",
                                "${i}2000; read -r x <&3; done"));
  order.log_file_size = off_t{64} << 10;
  const auto attempt = start_attempt(ground.loop, order, [] {});
  ground.wait_for_start(*attempt);
  std::ofstream go_on(go);
  LogQuestion question;
  question.follow = true;
  const auto stream = open_log(ground.watcher, order.directory, question);
  std::string text;
  std::string wanted;
  for (int i = 1; i <= 8; ++i) {
    for (int line = i * 10'000; line <= i * 10'000 + 2000; ++line) wanted += cat(line, "\n");
    const auto watch = ground.watcher.watch(order.directory, [] {});
    ground.loop.run_until([&] {
      while (const auto part = stream->read(65536)) {
        if (part->empty()) break;
        text += *part;
      }
      return text.size() >= wanted.size();
    });
    go_on << "on" << std::endl;
  }
  CHECK(ground.wait(*attempt).code == 0);
  CHECK(log_numbers(order.directory).back() >= 8);
  CHECK(text == wanted);
}

TEST_CASE("A line is not cut by the turn of a file, and so not read twice") {
  Ground ground;
  auto order = ground.shell("head -c 1000000 /dev/zero | tr '\\0' x");
  order.log_file_size = off_t{64} << 10;
  CHECK(ground.run(order).code == 0);
  CHECK(log_numbers(order.directory).size() == 1);
  CHECK(ground.output(order).size() == 1'000'000);
}

TEST_CASE("The last lines are found in whichever files they are") {
  FilesByHand log;
  log.write(3, {"one", "two"});
  log.write(4, {"three"});
  log.write(5, {"four", "five"});
  log.write(6, {});
  for (const auto& [lines, wanted] :
       std::vector<std::pair<int, std::string>>{{0, ""},
                                                {1, "five\n"},
                                                {2, "four\nfive\n"},
                                                {3, "three\nfour\nfive\n"},
                                                {4, "two\nthree\nfour\nfive\n"},
                                                {9, "one\ntwo\nthree\nfour\nfive\n"}}) {
    LogQuestion question;
    question.tail_lines = lines;
    CHECK(log.read(question) == wanted);
  }
}

TEST_CASE("A follower that was overtaken is cut off, so that the gap is no secret") {
  FilesByHand log;
  log.write(0, {"one"});
  LogQuestion question;
  question.follow = true;
  const auto stream = open_log(log.watcher, log.place.path(), question);
  CHECK(stream->read(100) == "one\n");
  log.write(0, {"two"});
  log.write(2, {"four"});
  CHECK(stream->read(100) == "two\n");
  CHECK(stream->read(100) == std::nullopt);
}

TEST_CASE("On a full disk a container still ends on request, and its log counts as cut") {
  Ground ground;
  const std::string ready = ground.place.path() + "/ready";
  const auto order = ground.shell(cat("echo begun; : > ", ready, "; exec yes"));
  REQUIRE(::symlink("/dev/full", log_path(order.directory, 0).c_str()) == 0);
  const auto attempt = start_attempt(ground.loop, order, [] {});
  const auto watch = ground.watcher.watch(ground.place.path(), [] {});
  ground.loop.run_until([&] { return ::access(ready.c_str(), F_OK) == 0; });
  SUBCASE("by SIGTERM") {
    attempt->ask_to_end();
    CHECK(ground.wait(*attempt).code == 143);
  }
  SUBCASE("by SIGKILL") {
    attempt->kill();
    CHECK(ground.wait(*attempt).code == 137);
  }
  CHECK(attempt->record().exit->log_is_cut);
}

}  // namespace log_files_test
