// The directory of kept logs: its place and its bound.
#include "work/history/kept_logs.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

namespace trainctl::work {
namespace TEST_FILE {

namespace fs = std::filesystem;

TEST_CASE("a uid that is no file's name has no log") {
  const std::map<std::string, std::string, std::less<>> variables{{"HOME", "/home/ada"}};
  const Environment home(variables);
  CHECK(kept_log_path(home, "uid-1") == "/home/ada/.local/state/trainctl/logs/uid-1");
  CHECK(kept_log_path(home, "../history.db").empty());
  CHECK(kept_log_path(home, "").empty());
  CHECK(kept_log_path(Environment(), "uid-1").empty());
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

}  // namespace TEST_FILE
}  // namespace trainctl::work
