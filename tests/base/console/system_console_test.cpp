// The real console knows its streams, and says when nothing comes on stdin.
#include "base/console/system_console.h"

#include <array>
#include <string_view>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

namespace system_console_test {

using namespace trainctl;

TEST_CASE("a manifest that does not come on stdin is waited for with a word") {
  std::array<int, 2> in{};
  std::array<int, 2> err{};
  REQUIRE(pipe(in.data()) == 0);
  REQUIRE(pipe(err.data()) == 0);
  SystemConsole console(Environment{}, {in[0], 1, err[1]});
  console.patience = {};
  std::thread writer([&] {
    std::array<char, 8> said{};
    CHECK(read(err[0], said.data(), 7) == 7);  // only then something is written
    CHECK(std::string_view(said.data(), 7) == "waiting");
    CHECK(write(in[1], "spec", 4) == 4);
    close(in[1]);
  });
  CHECK(*console.read_all(8) == "spec");
  writer.join();
  for (const int fd : {in[0], err[0], err[1]}) close(fd);
}

TEST_CASE("stdout in a regular file is known, for nobody obeys what stands there") {
  const int null = open("/dev/null", O_WRONLY);
  const int file = open("/tmp", O_TMPFILE | O_WRONLY, 0600);
  REQUIRE(null >= 0);
  REQUIRE(file >= 0);
  CHECK_FALSE(SystemConsole(Environment{}, {0, null, 2}).out_is_file);
  SystemConsole console(Environment{}, {0, file, 2});
  CHECK(console.out_is_file);
  console.ci = CiSystem::github;
  CHECK(console.out_reader() == CiSystem::none);
  close(null);
  close(file);
}

}  // namespace system_console_test
