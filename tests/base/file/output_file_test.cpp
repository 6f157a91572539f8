// Outputs go where the user says, and through no link of another user.
#include "base/file/output_file.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/system_files.h"
#include "base/scratch_directory.h"

namespace output_file_test {

using namespace trainctl;

TEST_CASE("no output is written through another user's link, wherever it stands on the way") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  std::filesystem::create_directories(directory / "target/in");
  constexpr uid_t k_other_user = 65534;
  struct Row {
    const char* link;
    const char* target;
    const char* path;
  };
  for (const Row& row : {Row{"a", "target", "a/file"}, Row{"b", "target", "b/in/new/file"},
                         Row{"c", "target/file", "c"}, Row{"d", "target/absent", "d"}}) {
    CAPTURE(row.path);
    const std::string link = directory / row.link;
    std::filesystem::create_symlink(directory / row.target, link);
    REQUIRE(files.write(directory / row.path, "through a link of one's own"));
    CHECK(*files.read(directory / row.path) == "through a link of one's own");
    if (lchown(link.c_str(), k_other_user, k_other_user) != 0) continue;  // only root may
    const Status refused = files.write(directory / row.path, "new");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("another user created the link") != std::string::npos);
    CHECK_FALSE(files.write(directory / row.path, "new", Readers::owner));
    CHECK_FALSE(files.append(directory / row.path, "new"));
    CHECK_FALSE(files.check_writable(directory / row.path));
    CHECK(*files.read(directory / row.path) == "through a link of one's own");
  }
}

TEST_CASE("an open file is written by its name below /dev and /proc, as a shell does") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  REQUIRE(files.write(directory / "log", "begun\n"));
  const int fd = open((directory / "log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  REQUIRE(fd >= 0);
  CHECK(files.check_writable("/dev/fd/" + std::to_string(fd)));
  CHECK(files.write("/dev/fd/" + std::to_string(fd), "one\n"));
  CHECK(files.append("/proc/self/fd/" + std::to_string(fd), "two\n"));
  close(fd);
  CHECK(*files.read(directory / "log") == "begun\none\ntwo\n");
}

TEST_CASE("a descriptor of the caller is written where it stands, and moves on") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const int fd = open((directory / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(write(fd, "first\n", 6) == 6);
  CHECK(files.write("/dev/fd/" + std::to_string(fd), "report\n"));
  CHECK(files.append("/proc/self/fd/" + std::to_string(fd), "more\n"));
  REQUIRE(write(fd, "last\n", 5) == 5);
  close(fd);
  CHECK(*files.read(directory / "out") == "first\nreport\nmore\nlast\n");
}

TEST_CASE("a path with .. and links to links leads where the system says it does") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  std::filesystem::create_directories(directory / "deep/er");
  std::filesystem::create_symlink("deep/er", directory / "one");
  std::filesystem::create_symlink("one", directory / "two");
  REQUIRE(files.write(directory / "two/../file", "x"));
  CHECK(files.exists(directory / "deep/file"));
  std::filesystem::create_symlink("round", directory / "round");
  const Status endless = files.write(directory / "round/file", "x");
  REQUIRE_FALSE(endless);
  CHECK(endless.error().message.find("Too many levels of symbolic links") != std::string::npos);
}

TEST_CASE("no output is written into another user's pipe") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const std::string path = directory / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0666) == 0);
  CHECK(files.check_writable(path));
  if (chown(path.c_str(), 65534, 65534) != 0) return;  // only root may
  const Status refused = files.check_writable(path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("another user created the pipe") != std::string::npos);
}

TEST_CASE("a named pipe gets its output where somebody reads it, and is not waited for otherwise") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const std::string path = directory / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const Status unread = files.write(path, "lost");
  REQUIRE_FALSE(unread);
  CHECK(unread.error().message.ends_with("nobody reads this pipe"));
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(files.write(path, "read"));
  char text[5] = {};
  CHECK(read(reader, text, 4) == 4);
  CHECK(std::string(text) == "read");
  const Status stuck = files.write(path, std::string(1 << 20, 'x'));
  REQUIRE_FALSE(stuck);
  close(reader);
}

}  // namespace output_file_test
