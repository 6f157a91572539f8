// Output that waits for its reader: nothing lost, nothing turned around, whatever the disk does.
#include "base/spool.h"

#include <csignal>
#include <filesystem>
#include <random>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "base/text.h"

using namespace trainctl;

namespace {

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

TEST_CASE("a full disk is told, and what came is kept in order until there is room") {
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

TEST_CASE("a directory that is not there is told when it is needed, not before") {
  Spool spool("/no/such/directory", 10);
  CHECK(spool.push("0123456789"));
  const Status refused = spool.push("more");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("/no/such/directory") != std::string::npos);
  CHECK(taken(spool, 100) == "0123456789more");
}

}  // namespace
