// The limit of open files: raised as far as possible, and reported when it is used up.
#include "base/file/descriptor.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/file_limit.h"

namespace descriptor_test {

using namespace trainctl;
using namespace trainctl::testing;

TEST_CASE("a shell's limit of open files does not stop a follow of many connections") {
  const FileLimit low(64);
  allow_many_files();
  rlimit now{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &now) == 0);
  CHECK(now.rlim_cur == std::min<rlim_t>(now.rlim_max, 16384));
}

TEST_CASE("a limit that no command can work with is found before anything aborts") {
  CHECK_FALSE(too_low_file_limit());
  const FileLimit low(64);
  CHECK_FALSE(too_low_file_limit());
  const FileLimit lowest(12);
  CHECK(too_low_file_limit() == 12);
}

TEST_CASE("a limit that is used up is reported, and only then") {
  const FileLimit low(64);
  CHECK_FALSE(exhausted_file_limit());
  std::vector<int> taken;
  for (int fd = 0; fd >= 0; fd = open("/", O_RDONLY | O_CLOEXEC)) taken.push_back(fd);
  const auto limit = exhausted_file_limit();
  for (std::size_t i = 1; i < taken.size(); ++i) close(taken[i]);
  REQUIRE(limit);
  CHECK(*limit == 64);
  CHECK_FALSE(exhausted_file_limit());
}

}  // namespace descriptor_test
