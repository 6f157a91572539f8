// Edits in a copy of the code come back, and neither a file that was edited here nor anything
// outside of the directory is overwritten.
#include "transfer/dev_edits.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/file/sha256.h"
#include "base/file/system_files.h"
#include "base/scratch_directory.h"
#include "work/remote_setting.h"

namespace trainctl::testing {

namespace dev_edits_test {

namespace fs = std::filesystem;

// Real files here, and a container that is scripted.
struct Sides {
  explicit Sides(const std::vector<Exchange>& exchanges) : remote(exchanges) {
    sent.directory = here.path;
  }
  void send(const std::string& path, const std::string& content) {
    write(path, content);
    sent.files[path] = sha256_hex(content);
  }
  void write(const std::string& path, const std::string& content) const {
    fs::create_directories(fs::path(here / path).parent_path());
    std::ofstream(here / path, std::ios::binary) << content;
  }
  std::string read(const std::string& path) const {
    std::ifstream file(here / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<work::CodeChanges> changes() { return work::code_changes(shell, sent); }
  Status bring_back() {
    TRY_ASSIGN(const work::CodeChanges found, changes());
    return work::bring_back(shell, sent, found, "src");
  }

  ScratchDirectory here;
  RemoteSetting remote;
  SystemFiles files;
  FakeAccess access{remote.console, files, remote.loop, Environment(), remote.client};
  work::Shell shell{access, *remote.client, remote.target};
  work::SentCode sent;
};

std::string sum(const std::string& path, const std::string& content) {
  return cat(sha256_hex(content), "  ./", path, "\n");
}

Exchange listing(const std::string& files, const std::string& links = "",
                 const std::string& others = "") {
  return script_that_prints({cat("files\n", files, "links\n", links, "others\n", others)},
                            {"/code"});
}

// The container sends a file of this content.
std::vector<Exchange> file_there(const std::string& path, const std::string& content) {
  const std::string place = "/code/" + path;
  return {script_that_prints(
              {cat("kind file\nstat ", content.size(), " 1767225600 755 77\nhas tail\n")}, {place}),
          script_that_prints({content}, {place, "1"})};
}

std::vector<Exchange> listed_and_sent(Exchange list, std::vector<std::vector<Exchange>> files) {
  std::vector<Exchange> script = {std::move(list)};
  for (const std::vector<Exchange>& file : files) {
    script.insert(script.end(), file.begin(), file.end());
  }
  return script;
}

std::string shown(const Result<work::CodeChanges>& changes) {
  if (!changes) return changes.error().message;
  std::string text;
  for (const work::ChangedFile& file : changes->files) {
    text += cat(file.is_new ? "+" : "~", file.path, file.goes_beside ? "!" : "", " ");
  }
  for (const std::string& path : changes->removed) text += cat("-", path, " ");
  for (const std::string& path : changes->left_out) text += cat("(", path, ") ");
  return text;
}

TEST_CASE("only files that differ from what was sent, and from what is here, count as changed") {
  Sides sides({listing(cat(sum("same", "1"), sum("edited", "new"), sum("edited-on-both", "theirs"),
                           sum("same-edit", "new"), sum("added", "a"),
                           sum("added-on-both", "theirs"), sum("lib/__pycache__/m.pyc", "x"),
                           sum("deleted-here", "new"), "\\", sum("back\\\\slash", "b")),
                       cat("./as-sent\nsame\n./turned\nelsewhere\n./made\n/etc/passwd\n"),
                       "./pipe\n./.git\n")});
  for (const char* path : {"same", "edited", "edited-on-both", "same-edit", "gone", "turned",
                           "deleted-here", "gone-on-both"}) {
    sides.send(path, "1");
  }
  sides.sent.files.erase("turned");
  sides.sent.links = {{"as-sent", "same"}, {"turned", "same"}};
  sides.sent.ignored.add("__pycache__/");
  sides.write("edited-on-both", "ours");
  sides.write("same-edit", "new");
  sides.write("added-on-both", "ours");
  fs::remove(sides.here / "deleted-here");
  fs::remove(sides.here / "gone-on-both");
  CHECK(shown(sides.changes()) ==
        "+added +added-on-both! +back\\slash ~deleted-here ~edited ~edited-on-both! -gone "
        "(made (a link)) (turned (a link)) (pipe (not a file)) (.git (git's own)) ");
}

TEST_CASE("a listing cannot name a file outside of the directory, or one that git would run") {
  Sides sides({listing(cat(sum("../out", "x"), sum("a/../../out", "x"), sum("/etc/passwd", "x"),
                           sum(".git/hooks/post-checkout", "x"), sum("lib/.GIT/config", "x"),
                           sha256_hex("x"), "  /etc/passwd\n", "short\n"))});
  CHECK(shown(sides.changes()) ==
        "(.git/hooks/post-checkout (git's own)) (lib/.GIT/config (git's own)) ");
}

TEST_CASE("an edited file replaces what was sent, and a new one gets its directories") {
  Sides sides(listed_and_sent(listing(cat(sum("lib/new/a", "added"), sum("train", "edited"))),
                              {file_there("lib/new/a", "added"), file_there("train", "edited")}));
  sides.send("train", "1");
  const Status status = sides.bring_back();
  CHECK(status.has_value());
  CHECK(sides.read("train") == "edited");
  CHECK(sides.read("lib/new/a") == "added");
  CHECK(sides.remote.says("copied 2 files back to src: 11 B"));
}

TEST_CASE("a file that was edited on both sides stays, and the other version is beside it") {
  Sides sides(listed_and_sent(listing(sum("train", "theirs")), {file_there("train", "theirs")}));
  sides.send("train", "1");
  sides.write("train", "ours");
  sides.write("train.from-ddp-master-0", "of an earlier job");
  const Status status = sides.bring_back();
  CHECK(status.has_value());
  CHECK(sides.read("train") == "ours");
  CHECK(sides.read("train.from-ddp-master-0") == "of an earlier job");
  CHECK(sides.read("train.from-ddp-master-0.2") == "theirs");
}

TEST_CASE("nothing is written through a link, and what was refused makes the copy fail") {
  const ScratchDirectory elsewhere;
  std::vector<Exchange> refused = file_there("lib/a", "added");
  refused.pop_back();  // its content is not asked for
  Sides sides(listed_and_sent(listing(cat(sum("lib/a", "added"), sum("train", "edited"))),
                              {refused, file_there("train", "edited")}));
  sides.send("train", "1");
  fs::create_directory_symlink(elsewhere.path, sides.here / "lib");
  const Status status = sides.bring_back();
  REQUIRE_FALSE(status);
  CHECK(fs::is_empty(elsewhere.path));
  CHECK(sides.read("train") == "edited");
  CHECK(sides.remote.says("left out: lib/a"));
}

TEST_CASE("a file that is written while it is copied does not arrive half, and is named") {
  Sides sides(listed_and_sent(listing(sum("log", "12")), {file_there("log", "123")}));
  sides.send("log", "1");
  const Status status = sides.bring_back();
  REQUIRE_FALSE(status);
  CHECK(sides.read("log") == "1");
  CHECK(sides.remote.says("log changed while it was copied"));
}

}  // namespace dev_edits_test

}  // namespace trainctl::testing
