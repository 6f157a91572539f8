// Where the embedded cluster lives, who may, and what its clients do when it goes away.
#include "local/daemon/daemon.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file/files.h"
#include "local/daemon/kept_socket.h"
#include "local/daemon/launch.h"
#include "support/net_server.h"

namespace trainctl::testing {
namespace daemon_test {

using local::DaemonPaths;
using local::places;
namespace fs = std::filesystem;

Environment with(std::map<std::string, std::string, std::less<>> variables) {
  return Environment(std::move(variables));
}

DaemonPaths below(const TemporaryDirectory& directory) {
  return {directory.path() + "/state", directory.path() + "/run/local.sock"};
}

TEST_CASE("files and socket lie where the session's own conventions put them") {
  const auto session = places(with({{"HOME", "/home/ada"}, {"XDG_RUNTIME_DIR", "/run/user/7"}}));
  REQUIRE(session);
  CHECK(session->state == "/home/ada/.local/state/trainctl/local");
  CHECK(session->socket == "/run/user/7/trainctl/local.sock");
  const auto bare = places(with({{"XDG_STATE_HOME", "/s/"}, {"TMPDIR", "/t"}}));
  REQUIRE(bare);
  CHECK(bare->state == "/s/trainctl/local");
  CHECK(bare->socket.starts_with("/t/trainctl-"));
}

TEST_CASE("a relative path in the environment is no place: it would move with the shell") {
  const auto found = places(with({{"HOME", "/h"}, {"XDG_STATE_HOME", "s"}, {"TMPDIR", "t"}}));
  REQUIRE(found);
  CHECK(found->state == "/h/.local/state/trainctl/local");
  CHECK(found->socket.starts_with("/tmp/trainctl-"));
}

TEST_CASE("an impossible place is reported before anything is made") {
  const auto homeless = places(with({}));
  REQUIRE_FALSE(homeless);
  CHECK(homeless.error().code == Code::usage);
  const auto deep =
      places(with({{"HOME", "/h"}, {"XDG_RUNTIME_DIR", "/" + std::string(100, 'd')}}));
  REQUIRE_FALSE(deep);
  CHECK(deep.error().message.find("107 bytes") != std::string::npos);
}

TEST_CASE("the directories are closed to everybody else, whatever the umask") {
  const TemporaryDirectory directory;
  const DaemonPaths where = below(directory);
  fs::create_directory(where.state);
  fs::permissions(where.state, fs::perms(0755));
  REQUIRE(local::make_private(where));
  for (const std::string& path : {where.state, directory_of(where.socket)}) {
    CHECK(fs::status(path).permissions() == fs::perms(0700));
  }
}

TEST_CASE("the directories above, where they are new, are closed to everybody else, too") {
  const TemporaryDirectory directory;
  DaemonPaths where = below(directory);
  where.state = directory.path() + "/new/state/trainctl/local";
  const mode_t before = ::umask(0);
  const Status made = local::make_private(where);
  ::umask(before);
  REQUIRE(made);
  for (std::string path = where.state; path != directory.path(); path = directory_of(path)) {
    CAPTURE(path);
    CHECK(fs::status(path).permissions() == fs::perms(0700));
  }
}

TEST_CASE("a directory that others could have prepared is refused with its reason") {
  const TemporaryDirectory directory;
  const DaemonPaths where = below(directory);
  std::string reason;
  SUBCASE("it is a link to somewhere else") {
    fs::create_directory(directory.path() + "/elsewhere");
    fs::create_directory_symlink(directory.path() + "/elsewhere", directory_of(where.socket));
    reason = "symbolic link";
  }
  SUBCASE("everybody may write there") {
    fs::create_directory(directory_of(where.socket));
    fs::permissions(directory_of(where.socket), fs::perms(0777));
    reason = "other users may write";
  }
  SUBCASE("it belongs to somebody else") {
    fs::create_directory(directory_of(where.socket));
    if (::chown(directory_of(where.socket).c_str(), 12345, 12345) != 0) return;  // not root
    reason = "another user";
  }
  SUBCASE("it is a file") {
    std::ofstream(directory_of(where.socket)) << "x";
    reason = "not a directory";
  }
  for (const Status& status : {local::make_private(where), local::check_socket_directory(where)}) {
    REQUIRE_FALSE(status);
    CHECK(status.error().message.find(reason) != std::string::npos);
    CHECK(status.error().message.find(directory_of(where.socket)) != std::string::npos);
  }
}

TEST_CASE("a daemon of another container is not ended by its number, which is a stranger's here") {
  const TemporaryDirectory directory;
  const DaemonPaths where = below(directory);
  REQUIRE(local::make_private(where));
  const auto lock = local::try_lock(where);
  REQUIRE(lock);
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    for (;;) ::pause();
  }
  auto mark = *process_mark(stranger);
  mark.world = "another-boot,pid:[1]";
  local::write_holder(*lock, {stranger, where.socket, mark});
  const auto ended = local::end_daemon(where, [] {});
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message.find("not a process of this machine") != std::string::npos);
  CHECK(::waitpid(stranger, nullptr, WNOHANG) == 0);
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

TEST_CASE("of two daemons one gets the lock, and the other learns who has it") {
  const TemporaryDirectory directory;
  const DaemonPaths where = below(directory);
  REQUIRE(local::make_private(where));
  auto first = local::try_lock(where);
  REQUIRE(first);
  REQUIRE(*first);
  local::write_holder(*first, {4711, where.socket, {}});
  const auto second = local::try_lock(where);
  REQUIRE(second);
  CHECK_FALSE(*second);
  CHECK(local::daemon_pid(where) == 4711);
  CHECK(local::read_holder(where).socket == where.socket);
  first->reset();
  CHECK(local::daemon_pid(where) == 0);
  CHECK(*local::try_lock(where));
}

TEST_CASE("a program without the session's variables finds the daemon that lives") {
  const TemporaryDirectory directory;
  const Environment environment =
      with({{"XDG_STATE_HOME", directory.path()}, {"XDG_RUNTIME_DIR", directory.path() + "/ours"}});
  const DaemonPaths where = *places(environment);
  REQUIRE(local::make_private(where));
  const std::string other = directory.path() + "/other.sock";
  const auto lock = local::try_lock(where);
  auto socket = local::listen_on_socket(other);
  REQUIRE((lock && socket));
  local::write_holder(*lock, {4711, other, {}});
  CHECK(places(environment)->socket == other);
  // One that looked before that daemon had its socket would begin a second cluster.
  UvLoop loop;
  const auto taken = local::take_lock(loop, where);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().message.find("serves on " + other) != std::string::npos);
  fs::permissions(directory.path(), fs::perms(0777));
  CHECK(places(environment)->socket == where.socket);
  fs::permissions(directory.path(), fs::perms(0700));
  socket->reset();
  CHECK(places(environment)->socket == where.socket);
}

TEST_CASE("a socket that a killed daemon left is replaced, one that answers is not") {
  const TemporaryDirectory directory;
  const DaemonPaths where = below(directory);
  REQUIRE(local::make_private(where));
  CHECK(local::reach(where.socket) == local::Reach::nobody);
  auto killed = local::listen_on_socket(where.socket);
  REQUIRE(killed);
  killed->reset();
  CHECK(fs::exists(where.socket));
  CHECK(local::reach(where.socket) == local::Reach::nobody);
  const auto living = local::listen_on_socket(where.socket);
  REQUIRE(living);
  CHECK(local::reach(where.socket) == local::Reach::accepts);
  CHECK_FALSE(local::listen_on_socket(where.socket));
}

TEST_CASE("containers start from the user's variables, not from the terminal's") {
  const Environment base = local::base_environment(
      with({{"PATH", "/bin"}, {"LC_ALL", "C"}, {"TERM", "xterm"}, {"RANK", "7"}, {"HOME", "/h"}}));
  CHECK(base.all() == with({{"PATH", "/bin"}, {"LC_ALL", "C"}, {"HOME", "/h"}}).all());
}

}  // namespace daemon_test
}  // namespace trainctl::testing
