// Files: errors that name the path, and writes that never leave half a file.
#include "base/file/files.h"

#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/system_files.h"
#include "base/scratch_directory.h"
#include "support/fakes.h"

namespace files_test {

using namespace trainctl;

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  REQUIRE(stat(path.c_str(), &facts) == 0);
  return facts.st_mode & 0777U;
}

TEST_CASE("written bytes are read back, in directories that did not exist") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const std::string path = directory / "a/b/c.yaml";
  CHECK_FALSE(files.exists(path));
  REQUIRE(files.write(path, std::string("x\0y", 3)));
  CHECK(*files.read(path) == std::string("x\0y", 3));
  CHECK(files.exists(path));
  CHECK(files.list(directory / "a/b") == std::vector<std::string>{"c.yaml"});
  CHECK(files.list(directory / "missing").empty());
}

TEST_CASE("a missing file, a directory and a file above 64 MiB are distinguished, by path") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const auto missing = files.read(directory / "none");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Code::not_found);
  CHECK(missing.error().message ==
        "cannot read " + directory / "none" + ": No such file or directory");
  CHECK(files.read(directory.path).error().code == Code::usage);
  REQUIRE(files.write(directory / "big", ""));
  REQUIRE(truncate((directory / "big").c_str(), (64 << 20) + 1) == 0);
  CHECK(files.read(directory / "big").error().code == Code::usage);
  REQUIRE(truncate((directory / "big").c_str(), 64 << 20) == 0);
  CHECK(files.read(directory / "big"));
  CHECK(files.read(directory / "big/below").error().code == Code::not_found);
}

TEST_CASE(
    "a file that colleagues may write stays so when it is rewritten, whatever the umask says") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  REQUIRE(files.write(directory / "shared", "old"));
  REQUIRE(chmod((directory / "shared").c_str(), 0664) == 0);
  const mode_t before = umask(022);
  REQUIRE(files.write(directory / "shared", "new"));
  REQUIRE(files.write(directory / "fresh", "new"));
  umask(before);
  CHECK(mode_of(directory / "shared") == 0664);
  CHECK(mode_of(directory / "fresh") == 0644);
}

TEST_CASE("rewriting a private file keeps it private, and a link stays a link") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  REQUIRE(files.write(directory / "real", "old"));
  REQUIRE(chmod((directory / "real").c_str(), 0600) == 0);
  std::filesystem::create_symlink("real", directory / "link");
  REQUIRE(files.write(directory / "link", "new"));
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(*files.read(directory / "real") == "new");
  CHECK(mode_of(directory / "real") == 0600);
  CHECK(files.list(directory.path) == std::vector<std::string>{"link", "real"});
}

TEST_CASE("a private file and its new directories are closed to others, whatever the umask says") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const mode_t before = umask(0);
  const Status fresh = files.write(directory / "a/b/fresh", "new", Readers::owner);
  const Status old = files.write(directory / "old", "old");
  const Status again = files.write(directory / "old", "new", Readers::owner);
  umask(before);
  REQUIRE((fresh && old && again));
  CHECK(mode_of(directory / "a/b/fresh") == 0600);
  CHECK(mode_of(directory / "old") == 0600);
  CHECK(mode_of(directory / "a/b") == 0700);
  CHECK(mode_of(directory / "a") == 0700);
  CHECK(*files.read(directory / "old") == "new");
}

TEST_CASE("no link that another user has laid in a shared directory is written through") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const std::string link = directory / "shared/link";
  std::filesystem::create_directory(directory / "shared");
  REQUIRE(chmod((directory / "shared").c_str(), 01777) == 0);
  REQUIRE(files.write(directory / "target", "old"));
  std::filesystem::create_symlink(directory / "target", link);
  REQUIRE(files.write(link, "through a link of one's own"));
  constexpr uid_t k_other_user = 65534;
  if (lchown(link.c_str(), k_other_user, k_other_user) != 0) return;  // only root gives links away
  CHECK_FALSE(files.check_writable(link));
  CHECK_FALSE(files.write(link, "new"));
  CHECK_FALSE(files.write(link, "new", Readers::owner));
  CHECK_FALSE(files.append(link, "new"));
  CHECK(*files.read(directory / "target") == "through a link of one's own");
}

TEST_CASE("a file that cannot be written keeps its old content and leaves no debris") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  REQUIRE(files.write(directory / "file", "old"));
  const Status status = files.write(directory / "file/below", "x");
  REQUIRE_FALSE(status);
  CHECK(status.error().message.find(directory / "file/below") != std::string::npos);
  CHECK_FALSE(files.write(directory.path, "x"));
  CHECK(*files.read(directory / "file") == "old");
  CHECK(files.list(directory.path) == std::vector<std::string>{"file"});
}

// As root, a file that replaced /dev/null would be everybody's.
TEST_CASE("a private file replaces no pipe and no device") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const std::string path = directory / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0666) == 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  CHECK(files.write(path, "new", Readers::owner));
  char received[4] = {};
  CHECK(read(reader, received, sizeof received) == 3);
  CHECK(std::string(received) == "new");
  close(reader);
  CHECK(std::filesystem::is_fifo(path));
}

TEST_CASE("--result-file /dev/null does not replace the device, and a full disk is reported") {
  SystemFiles files;
  CHECK(files.write("/dev/null", "x"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  const Status full = files.write("/dev/full", "x");
  REQUIRE_FALSE(full);
  CHECK(full.error().message == "cannot write /dev/full: No space left on device");
}

TEST_CASE("a path in a kubeconfig is relative to that kubeconfig") {
  CHECK(directory_of("/home/u/.kube/config") == "/home/u/.kube");
  CHECK(directory_of("config") == ".");
  CHECK(directory_of("/config") == "/");
  CHECK(resolve_path("/home/u/.kube", "ca.crt") == "/home/u/.kube/ca.crt");
  CHECK(resolve_path("/home/u/.kube", "/etc/ca.crt") == "/etc/ca.crt");
  CHECK(resolve_path("/", "ca.crt") == "/ca.crt");
  CHECK(resolve_path(".", "ca.crt") == "ca.crt");
  CHECK(resolve_path("/x", "").empty());
}

TEST_CASE("the fake file system answers as the real one") {
  testing::MemoryFiles files;
  REQUIRE(files.write("/a/b/c", "x"));
  REQUIRE(files.write("/a/d", "y"));
  CHECK(*files.read("/a/b/c") == "x");
  CHECK(files.read("/a/b").error().code == Code::usage);
  CHECK(files.read("/a/e").error().code == Code::not_found);
  CHECK(files.exists("/a/b"));
  CHECK_FALSE(files.exists("/a/bb"));
  CHECK(files.list("/a") == std::vector<std::string>{"b", "d"});
  files.write_fails_with = "No space left on device";
  CHECK_FALSE(files.write("/a/d", "z"));
}

TEST_CASE("the owner and the writers of a file are seen through links, of directories too") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const std::string path = directory / "config";
  CHECK_FALSE(files.facts(path));
  REQUIRE(files.write(path, "x"));
  std::filesystem::create_symlink(path, directory / "link");
  REQUIRE(chmod(path.c_str(), 0600) == 0);
  CHECK_FALSE(files.facts(directory / "link")->others_write);
  CHECK_FALSE(files.facts(directory / "link")->everybody_reads);
  REQUIRE(chmod(path.c_str(), 0664) == 0);
  CHECK(files.facts(directory / "link")->others_write);
  CHECK(files.facts(directory / "link")->everybody_reads);
  CHECK(files.facts(path)->is_ours);
  CHECK(files.facts(path)->is_regular);
  CHECK_FALSE(files.facts(directory.path)->is_regular);
  // Only root can give a file away.
  if (geteuid() == 0) {
    REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    CHECK_FALSE(files.facts(path)->is_ours);
  }
}

TEST_CASE("a file that another user has laid does not say what others may do with the new one") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  const std::string path = directory / "report";
  REQUIRE(files.write(path, "laid"));
  if (chown(path.c_str(), 65534, 65534) != 0) return;  // only root may
  REQUIRE(chmod(path.c_str(), 06766) == 0);
  REQUIRE(files.write(path, "new"));
  struct stat facts {};
  REQUIRE(stat(path.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777U) == 0744);
}

TEST_CASE("a pipe is read to its end, and one that nobody writes to is waited for with a word") {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "fifo";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  SystemFiles files;
  files.patience = {};
  std::string waited_for;
  files.on_wait = [&waited_for](const std::string& waited) {
    waited_for = waited;
    const int writer = open(waited.c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(writer >= 0);
    REQUIRE(write(writer, "spec: {}\n", 9) == 9);
    close(writer);
  };
  const auto text = files.read(path);
  REQUIRE(text);
  CHECK(*text == "spec: {}\n");
  CHECK(waited_for == path);
}

TEST_CASE("a pipe with something to read, as a shell's <(…), is read without a word") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "spec: {}\n", 9) == 9);
  close(ends[1]);
  SystemFiles files;
  files.on_wait = [](const std::string& path) { FAIL_CHECK(path); };
  const auto text = files.read("/dev/fd/" + std::to_string(ends[0]));
  close(ends[0]);
  REQUIRE(text);
  CHECK(*text == "spec: {}\n");
}

TEST_CASE("reading below a directory follows no link, and waits for no pipe") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  REQUIRE(files.write(directory / "tree/real/file", "code"));
  REQUIRE(files.write(directory / "secret/file", "hush"));
  std::filesystem::create_directory_symlink(directory / "secret", directory / "tree/link");
  std::filesystem::create_symlink(directory / "secret/file", directory / "tree/direct");
  REQUIRE(mkfifo((directory / "tree/pipe").c_str(), 0600) == 0);
  const std::string tree = directory / "tree";
  const auto real = files.read_below(tree, "real/file");
  REQUIRE(real);
  CHECK(*real->content == "code");
  CHECK(real->node.stamp == files.node(tree + "/real/file")->stamp);
  CHECK_FALSE(files.read_below(tree, "link/file"));
  CHECK_FALSE(files.read_below(tree, "direct"));
  CHECK_FALSE(files.read_below(tree, "pipe")->content);
}

TEST_CASE("a file that is opened once has the facts of what was read") {
  const testing::ScratchDirectory directory;
  SystemFiles files;
  REQUIRE(files.write(directory / "real/file", "text"));
  std::filesystem::create_symlink("real/file", directory / "link");
  REQUIRE(mkfifo((directory / "pipe").c_str(), 0600) == 0);
  const auto opened = files.open_once(directory / "link");
  REQUIRE(opened);
  CHECK(*opened->content == "text");
  CHECK(opened->facts.real_path == files.facts(directory / "link")->real_path);
  CHECK(opened->facts.size == 4);
  CHECK_FALSE(files.open_once(directory / "pipe")->facts.is_regular);
  CHECK_FALSE(files.open_once(directory / "none"));
}

}  // namespace files_test
