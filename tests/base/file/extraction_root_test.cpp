// A pod's files are placed where the user said, and nothing else on the machine changes.
#include "base/file/extraction_root.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainctl {
namespace extraction_root_test {

namespace fs = std::filesystem;

struct Scratch {
  fs::path path;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "trainctl-placed-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
    fs::create_directory(path / "in");
    fs::create_directory(path / "out");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { fs::remove_all(path); }
  std::string read(const std::string& name) const {
    std::ifstream file(path / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t count(const std::string& name) const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path / name), fs::directory_iterator()));
  }
};

ExtractionRoot opened(const Scratch& scratch) {
  Result<ExtractionRoot> tree = ExtractionRoot::open((scratch.path / "in").string());
  REQUIRE(tree);
  return *std::move(tree);
}

Status put(ExtractionRoot& tree, const std::string& path, std::string_view content,
           const PlacedFacts& facts = {0644, 0}) {
  TRY(tree.begin_file(path));
  TRY(tree.write(content));
  return tree.finish_file(facts);
}

bool refuses(const Status& status) {
  return !status && status.error().code == Code::refused;
}

TEST_CASE("files, directories and links arrive with their modes and times") {
  const Scratch scratch;
  ExtractionRoot tree = opened(scratch);
  CHECK(tree.make_directory("./", {0555, 1000}));  // which an archive of a directory begins with
  CHECK(tree.make_directory("./d", {0555, 1000}));
  CHECK(put(tree, "./d/f", "content", {04750, 2000}));
  CHECK(tree.make_symlink("d/l", "../d/f"));
  CHECK(tree.make_hard_link("h", "d/f"));
  CHECK(put(tree, "deep/er/f", "x"));
  CHECK(tree.finish());
  struct stat found {};
  REQUIRE(stat((scratch.path / "in/d/f").c_str(), &found) == 0);
  CHECK((found.st_mode & 07777U) == 0750);
  CHECK(found.st_mtime == 2000);
  CHECK(found.st_nlink == 2);
  REQUIRE(stat((scratch.path / "in/d").c_str(), &found) == 0);
  CHECK((found.st_mode & 07777U) == 0555);
  CHECK(found.st_mtime == 1000);
  CHECK(scratch.read("in/d/l") == "content");
  chmod((scratch.path / "in/d").c_str(), 0755);
}

TEST_CASE("no file arrives with permissions that the umask takes away") {
  const Scratch scratch;
  const mode_t before = umask(027);
  ExtractionRoot tree = opened(scratch);
  CHECK(tree.make_directory("d", {0777, 0}));
  CHECK(put(tree, "d/f", "x", {0666, 0}));
  CHECK(tree.finish());
  umask(before);
  struct stat found {};
  REQUIRE(stat((scratch.path / "in/d/f").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777U) == 0640);
  REQUIRE(stat((scratch.path / "in/d").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777U) == 0750);
}

TEST_CASE("a destination behind another user's link is refused") {
  const Scratch scratch;
  const fs::path link = scratch.path / "link";
  fs::create_directory_symlink("out", link);
  CHECK(ExtractionRoot::open(link.string()));
  CHECK(ExtractionRoot::open((link / "new").string()));
  if (lchown(link.c_str(), 65534, 65534) != 0) return;  // only root gives links away
  CHECK_FALSE(ExtractionRoot::open(link.string()));
  CHECK_FALSE(ExtractionRoot::open((link / "other").string()));
  CHECK_FALSE(fs::exists(scratch.path / "out/other"));
}

TEST_CASE("nothing is written outside, whatever a path says") {
  const Scratch scratch;
  ExtractionRoot tree = opened(scratch);
  const std::string absolute = (scratch.path / "out/f").string();
  CHECK(refuses(put(tree, "../out/f", "x")));
  CHECK(refuses(put(tree, "a/../../out/f", "x")));
  CHECK(refuses(put(tree, absolute, "x")));
  CHECK(refuses(put(tree, "..", "x")));
  CHECK(refuses(put(tree, "", "x")));
  CHECK(refuses(put(tree, std::string("a\0b", 3), "x")));
  CHECK(refuses(tree.make_directory("../out/d", {0755, 0})));
  CHECK(refuses(tree.make_directory(absolute, {0755, 0})));
  CHECK(refuses(tree.make_symlink("../out/l", "f")));
  CHECK(refuses(tree.make_hard_link("../out/h", "f")));
  CHECK(scratch.count("out") == 0);
}

TEST_CASE("nothing is written through a link, whoever made it") {
  const Scratch scratch;
  fs::create_directory_symlink("../out", scratch.path / "in/evil");
  fs::create_symlink("../out/target", scratch.path / "in/file");
  ExtractionRoot tree = opened(scratch);
  CHECK(refuses(put(tree, "evil/f", "x")));
  CHECK(refuses(tree.make_directory("evil", {0755, 0})));
  CHECK(refuses(tree.make_directory("evil/d", {0755, 0})));
  CHECK(refuses(tree.make_symlink("evil/l", "f")));
  // The link is replaced, not followed.
  CHECK(put(tree, "file", "x"));
  CHECK(scratch.count("out") == 0);
  CHECK(scratch.read("in/file") == "x");
}

TEST_CASE("no link leads out, not even by way of another") {
  const Scratch scratch;
  ExtractionRoot tree = opened(scratch);
  CHECK(refuses(tree.make_symlink("l", "..")));
  CHECK(refuses(tree.make_symlink("l", "/etc/passwd")));
  CHECK(refuses(tree.make_symlink("l", "../out")));
  CHECK(refuses(tree.make_symlink("a/l", "../../out")));
  CHECK(refuses(tree.make_symlink("l", "")));
  CHECK(tree.make_symlink("a/b/up", "../.."));
  CHECK(refuses(tree.make_symlink("m", "a/b/up/../out")));
  CHECK(tree.make_symlink("m", "a/b/up/a"));
  CHECK(refuses(tree.make_hard_link("h", "m")));
  CHECK(refuses(tree.make_hard_link("h", "nothing")));
}

TEST_CASE("a file that was not finished never looks whole, and leaves nothing") {
  const Scratch scratch;
  {
    ExtractionRoot tree = opened(scratch);
    CHECK(put(tree, "f", "old"));
    CHECK(tree.begin_file("f"));
    CHECK(tree.write("ne"));
    CHECK(tree.written() == 2);
    CHECK(scratch.read("in/f") == "old");
  }
  CHECK(scratch.count("in") == 1);
  CHECK(scratch.read("in/f") == "old");
}

TEST_CASE("the next copy removes the remains of a killed one, and no other file") {
  const Scratch scratch;
  const std::string left = ".trainctl-abcdefgh.part";
  const auto lay = [&](const std::string& name, mode_t mode = 0600, int age = 3600) {
    const std::string path = scratch.path / "in" / name;
    std::ofstream(path) << "half";
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    const timespec when{::time(nullptr) - age, 0};
    const timespec both[2] = {when, when};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), both, 0) == 0);
    return path;
  };
  fs::create_directory(scratch.path / "in/d");
  lay(left);
  lay("d/" + left);
  lay(".trainctl-abcdefgh");
  lay(".trainctl-ABCDEFGH.part");
  lay(".trainctl-abcdefgh.part2");
  lay(".trainctl-shared00.part", 0644);
  lay(".trainctl-fresh000.part", 0600, 5);
  fs::create_hard_link(lay(".trainctl-linked00.part"), scratch.path / "in/linked");
  fs::create_symlink("linked", scratch.path / "in/.trainctl-symlink0.part");
  fs::create_directory(scratch.path / "in/.trainctl-director.part");
  const Descriptor held(::open(lay(".trainctl-written0.part").c_str(), O_WRONLY | O_CLOEXEC));
  hold_copy(held.get());
  {
    ExtractionRoot tree = opened(scratch);
    CHECK(put(tree, "./new", "new"));
    CHECK(put(tree, "./d/new", "new"));
    CHECK(tree.finish());
  }
  CHECK_FALSE(fs::exists(scratch.path / "in" / left));
  CHECK_FALSE(fs::exists(scratch.path / "in/d" / left));
  CHECK(scratch.count("in/d") == 1);
  CHECK(scratch.count("in") == 12);
}

TEST_CASE("directories, pipes and devices are not replaced by files") {
  const Scratch scratch;
  ExtractionRoot tree = opened(scratch);
  CHECK(tree.make_directory("d", {0755, 0}));
  CHECK(refuses(put(tree, "d", "x")));
  CHECK(refuses(tree.make_symlink("d", "x")));
  REQUIRE(mkfifo((scratch.path / "in/p").c_str(), 0600) == 0);
  CHECK(refuses(put(tree, "p", "x")));
  CHECK(put(tree, "f", "x"));
  CHECK(refuses(tree.make_directory("f", {0755, 0})));
}

}  // namespace extraction_root_test
}  // namespace trainctl
