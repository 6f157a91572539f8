// A container's last words, whatever the program made of their file.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/kubelet/container_start.h"
#include "local/kubelet/guard_ground.h"

namespace termination_test {

using namespace trainctl;
using namespace trainctl::local;

TEST_CASE("A huge last word costs no more memory than what is reported of it") {
  Ground ground;
  const std::string file = cat(ground.place.path(), "/", k_termination_file);
  const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  REQUIRE(::ftruncate(fd, off_t{8} << 40) == 0);  // more than any machine could read into memory
  REQUIRE(::pwrite(fd, "the end", 7, (off_t{8} << 40) - 7) == 7);
  ::close(fd);
  const std::string message = termination_message(Json::object(), ground.place.path(), 1);
  CHECK(message.size() == 4096);
  CHECK(message.ends_with("the end"));
}

TEST_CASE("Last words that became a pipe do not stop the daemon") {
  Ground ground;
  REQUIRE(::mkfifo(cat(ground.place.path(), "/", k_termination_file).c_str(), 0600) == 0);
  CHECK(termination_message(Json::object(), ground.place.path(), 0).empty());
}

}  // namespace termination_test
