// A container's mounts where the machine's root is not what the kernel calls a root.
#include "local/kubelet/mounts.h"

#include <fstream>

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "support/net_server.h"

namespace mounts_test {

using namespace trainctl;
using namespace trainctl::local;

// In a chroot that is no mount point, with its own /proc, as image builders have it.
bool enter_chroot(const std::string& root) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) == 0 &&
         ::mount("proc", cat(root, "/proc").c_str(), "proc", 0, nullptr) == 0 &&
         ::chroot(root.c_str()) == 0 && ::chdir("/") == 0;
}

// Runs in a child; "" if all of it works.
std::string mount_in_chroot(const std::string& root) {
  if (!enter_chroot(root)) return "no chroot";
  if (const std::string why = why_no_mounts(); !why.empty()) return why;
  const std::string fault = enter_mounts({{"/data", "/new/place", false}}, "/stage");
  if (!fault.empty()) return fault;
  return read_small_file("/new/place/file") == "kept\n" ? "" : "the volume is not at its path";
}

TEST_CASE("A volume appears at its path in a chroot that is no mount point") {
  if (::geteuid() != 0) return;
  testing::TemporaryDirectory place;
  for (const char* name : {"/proc", "/data", "/stage"}) make_directories(place.path() + name);
  std::ofstream(place.path() + "/data/file") << "kept\n";
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string fault = mount_in_chroot(place.path());
    const bool said = ::write(ends[1], fault.data(), fault.size()) >= 0;
    ::_exit(said ? 0 : 1);
  }
  ::close(ends[1]);
  char text[512];
  const ssize_t size = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(std::string(text, static_cast<std::size_t>(size)) == "");
  CHECK(::access((place.path() + "/new").c_str(), F_OK) != 0);
}

}  // namespace mounts_test
