// Output that waits for its reader: nothing lost, nothing turned around, whatever the disk does.
#include "base/file/spool.h"

#include <csignal>
#include <filesystem>
#include <random>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/host.h"
#include "base/text/text.h"

namespace spool_test {

using namespace trainctl;

std::string taken(Spool& spool, std::size_t most) {
  std::string text;
  while (!spool.empty() && text.size() < most) {
    const auto piece = spool.front();
    REQUIRE(piece);
    const std::size_t count = std::min(piece->size(), most - text.size());
    text.append(piece->substr(0, count));
    spool.pop(count);
  }
  return text;
}

// No file of this process may grow beyond so many bytes: the disk is full for the time being.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_CASE("a slow reader gets every byte in order, through memory and file") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    Spool spool(std::filesystem::temp_directory_path(), 1000);
    std::string sent;
    std::string got;
    for (int i = 0; i < 2000; ++i) {
      const std::string line = cat("line ", i, std::string(random() % 300, 'x'), '\n');
      sent += line;
      REQUIRE(spool.push(line));
      if (random() % 3 == 0) got += taken(spool, random() % 2000);
    }
    got += taken(spool, sent.size());
    CHECK(spool.empty());
    CHECK(got == sent);
  }
}

TEST_CASE("a full disk is reported, and what came is kept in order until there is room") {
  Spool spool(std::filesystem::temp_directory_path(), 100);
  std::string sent;
  const auto push = [&](const std::string& text) {
    sent += text;
    return spool.push(text);
  };
  CHECK(push(std::string(100, 'a')));
  CHECK(push(std::string(300, 'b')));
  {
    const FullDisk full(400);
    const Status refused = push(std::string(200, 'c'));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("File too large") != std::string::npos);
    CHECK_FALSE(spool.has_room());
    CHECK(push("d"));
  }
  CHECK(taken(spool, 450) == sent.substr(0, 450));
  CHECK(spool.has_room());
  CHECK(push("e"));
  CHECK(taken(spool, 1000) == sent.substr(450));
}

// The disk space of this process's nameless files below a directory.
std::uint64_t taken_of_disk(const std::filesystem::path& directory) {
  constexpr std::uint64_t k_block = 512;
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string to = std::filesystem::read_symlink(entry, gone);
    struct stat facts {};
    if (!to.starts_with(directory.string() + '/') || stat(entry.path().c_str(), &facts) != 0) {
      continue;
    }
    sum += static_cast<std::uint64_t>(facts.st_blocks) * k_block;
  }
  return sum;
}

// Whether the system gives back the room of a part of a file there.
bool returns_space(const std::filesystem::path& directory) {
  std::string name = directory / "trainctl-test-XXXXXX";
  const Descriptor file(mkstemp(name.data()));
  unlink(name.c_str());
  const std::string bytes(std::size_t{64} << 10U, 'x');
  const auto size = static_cast<ssize_t>(bytes.size());
  return write(file.get(), bytes.data(), bytes.size()) == size &&
         host::return_space(file.get(), bytes.size());
}

TEST_CASE("a reader that is always a little behind does not fill the disk") {
  const std::filesystem::path directory = std::filesystem::temp_directory_path();
  if (!returns_space(directory)) {
    MESSAGE("not asked: no space is returned of files in ", directory.string());
    return;
  }
  constexpr std::uint64_t k_mib = std::uint64_t{1} << 20U;
  Spool spool(directory, 1000);
  std::uint64_t most = 0;
  std::uint64_t sent = 0;
  std::uint64_t got = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string line = cat("line ", i, std::string(10'000, 'x'), '\n');
    sent += line.size();
    REQUIRE(spool.push(line));
    if (sent - got > 3 * k_mib) got += taken(spool, k_mib).size();
    most = std::max(most, taken_of_disk(directory));
  }
  CHECK(sent > 25 * k_mib);
  CHECK(most > k_mib);
  CHECK(most < 6 * k_mib);
}

TEST_CASE("a missing directory is reported when it is needed, not before") {
  Spool spool("/no/such/directory", 10);
  CHECK(spool.push("0123456789"));
  const Status refused = spool.push("more");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("/no/such/directory") != std::string::npos);
  CHECK(taken(spool, 100) == "0123456789more");
}

}  // namespace spool_test
