// The directory of kept logs: its place and its bound.
#include "history/log_archive.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "logs/archive_writer.h"

namespace trainctl::work {

namespace log_archive_test {

namespace fs = std::filesystem;

TEST_CASE("a uid that is no file's name has no log") {
  const std::map<std::string, std::string, std::less<>> variables{{"HOME", "/home/ada"}};
  const Environment home(variables);
  CHECK(archived_log_path(home, "uid-1") == "/home/ada/.local/state/trainctl/logs/uid-1");
  CHECK(archived_log_path(home, "../history.db").empty());
  CHECK(archived_log_path(home, "").empty());
  CHECK(archived_log_path(Environment(), "uid-1").empty());
}

TEST_CASE("the logs that were written last stay where there is no room for all") {
  std::string directory = (fs::temp_directory_path() / "trainctl-logs-XXXXXX").string();
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  const auto began = fs::file_time_type::clock::now();
  for (const int age : {1, 3, 2}) {
    const fs::path path = fs::path(directory) / std::to_string(age);
    std::ofstream(path) << "0123456789";
    fs::last_write_time(path, began - std::chrono::hours(age));
  }
  remove_oldest_logs(directory, 20);
  CHECK(fs::exists(directory + "/1"));
  CHECK(fs::exists(directory + "/2"));
  CHECK_FALSE(fs::exists(directory + "/3"));
  fs::remove_all(directory);
}

}  // namespace log_archive_test

// A search that misses a line sends its user to read gigabytes by hand.
namespace log_archive_test {

constexpr std::string_view k_log =
    "master-0\t0\tpytorch\t1\t\t2026-01-02T03:00:05Z\tepoch 1 loss=0.5\n"
    "\t\t\t\t\t\t4096\n"
    "worker-0\t1\tpytorch\t1\t\t2026-01-02T03:00:06Z\tLoss\tNaN (overflow)\n"
    "worker-0\t1\tpytorch\t1\t\t2026-01-02T03:00:07Z\thalf a li";

std::vector<std::string> found(const std::string& text, LetterCase letters = LetterCase::matters) {
  const auto pattern = Pattern::make(text, letters);
  REQUIRE(pattern);
  std::vector<std::string> texts;
  const std::string lines = matching_lines(k_log, *pattern);
  for (const job::ArchivedLine& line : job::read_archived_lines(lines))
    texts.emplace_back(line.line.text);
  return texts;
}

TEST_CASE("words and expressions find the texts of lines, and nothing of their fields") {
  using Texts = std::vector<std::string>;
  CHECK(found("loss") == Texts{"epoch 1 loss=0.5"});
  CHECK(found("loss", LetterCase::ignored) == Texts{"epoch 1 loss=0.5", "Loss\tNaN (overflow)"});
  CHECK(found("loss=[0-9.]+$") == Texts{"epoch 1 loss=0.5"});
  CHECK(found("^epoch") == Texts{"epoch 1 loss=0.5"});
  CHECK(found("s\tN") == Texts{"Loss\tNaN (overflow)"});
  CHECK(found("pytorch").empty());
  CHECK(found("4096").empty());
  CHECK(found("half").empty());
}

}  // namespace log_archive_test

}  // namespace trainctl::work
