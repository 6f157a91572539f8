// Where the embedded cluster lives, who may, and what its clients do when it goes away.
#include "local/daemon/daemon.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/files.h"
#include "local/daemon/base_environment.h"
#include "local/daemon/launch.h"
#include "local/daemon/listen.h"
#include "support/fake_transport.h"
#include "support/fakes.h"
#include "support/net_server.h"

namespace trainctl::testing {
namespace {

using local::Places;
using local::places;
namespace fs = std::filesystem;

Environment with(std::map<std::string, std::string, std::less<>> variables) {
  return Environment(std::move(variables));
}

Places below(const TemporaryDirectory& directory) {
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

TEST_CASE("a place that cannot be is told before anything is made") {
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
  const Places where = below(directory);
  fs::create_directory(where.state);
  fs::permissions(where.state, fs::perms(0755));
  REQUIRE(local::make_private(where));
  for (const std::string& path : {where.state, directory_of(where.socket)}) {
    CHECK(fs::status(path).permissions() == fs::perms(0700));
  }
}

TEST_CASE("a directory that others could have prepared is refused with its reason") {
  const TemporaryDirectory directory;
  const Places where = below(directory);
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
    reason = "no directory";
  }
  for (const Status& status : {local::make_private(where), local::check_socket_directory(where)}) {
    REQUIRE_FALSE(status);
    CHECK(status.error().message.find(reason) != std::string::npos);
    CHECK(status.error().message.find(directory_of(where.socket)) != std::string::npos);
  }
}

TEST_CASE("of two daemons one gets the lock, and the other learns who has it") {
  const TemporaryDirectory directory;
  const Places where = below(directory);
  REQUIRE(local::make_private(where));
  auto first = local::try_lock(where);
  REQUIRE(first);
  REQUIRE(*first);
  local::write_holder(*first, {4711, where.socket});
  const auto second = local::try_lock(where);
  REQUIRE(second);
  CHECK_FALSE(*second);
  CHECK(local::daemon_pid(where) == 4711);
  CHECK(local::read_holder(where).socket == where.socket);
  first->reset();
  CHECK(local::daemon_pid(where) == 0);
  CHECK(*local::try_lock(where));
}

TEST_CASE("a socket that a killed daemon left is replaced, one that answers is not") {
  const TemporaryDirectory directory;
  const Places where = below(directory);
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

TEST_CASE("a cluster that does not start says why") {
  const TemporaryDirectory directory;
  local::Launch launch;
  launch.environment = with({{"PATH", "/usr/bin:/bin"}});
  Status status;
  SUBCASE("its program is gone") {
    launch.program = directory.path() + "/gone";
    status = local::ensure_running(below(directory), launch);
    REQUIRE_FALSE(status);
    CHECK(status.error().message.find("No such file") != std::string::npos);
  }
  SUBCASE("it ends with words in its log") {
    launch.program = directory.path() + "/daemon";
    std::ofstream(launch.program) << "#!/bin/sh\necho out of luck >&2\nexit 3\n";
    fs::permissions(launch.program, fs::perms(0700));
    status = local::ensure_running(below(directory), launch);
    REQUIRE_FALSE(status);
    CHECK(status.error().message == "the embedded cluster does not start: out of luck");
  }
  SUBCASE("it says why on the pipe") {
    launch.program = directory.path() + "/daemon";
    std::ofstream(launch.program) << "#!/bin/sh\necho noise\nprintf 'no room' >&3\n";
    fs::permissions(launch.program, fs::perms(0700));
    status = local::ensure_running(below(directory), launch);
    REQUIRE_FALSE(status);
    CHECK(status.error().message == "the embedded cluster does not start: no room");
  }
}

TEST_CASE("a daemon is started with nothing of the shell's but its environment") {
  const TemporaryDirectory directory;
  local::Launch launch;
  launch.environment = with({{"PATH", "/usr/bin:/bin"}, {"COLOUR", "green"}});
  launch.gpus = 2;
  launch.idle = std::chrono::seconds(90);
  launch.program = directory.path() + "/daemon";
  std::ofstream(launch.program) << "#!/bin/sh\necho $* $COLOUR $(pwd) $(cat | wc -c)\n"
                                   "ls /proc/$$/fd | grep -v '^10$' | tr '\\n' ' '\n"
                                   "echo ready >&3\n";
  fs::permissions(launch.program, fs::perms(0700));
  REQUIRE(local::ensure_running(below(directory), launch));
  const std::string log = file_text(below(directory).log());
  CHECK(log.starts_with("local serve --local-gpus=2 --idle=90 --ready-fd=3 green / 0\n"));
  CAPTURE(log);
  CHECK(log.ends_with("\n0 1 2 3 "));
}

TEST_CASE("a log that grew makes room for a new one") {
  const TemporaryDirectory directory;
  const Places where = below(directory);
  REQUIRE(local::make_private(where));
  std::ofstream(where.log()) << std::string((1U << 20U) + 1, 'x');
  local::Launch launch;
  launch.program = "/bin/false";
  CHECK_FALSE(local::ensure_running(where, launch));
  CHECK(fs::file_size(where.log()) == 0);
  CHECK(fs::file_size(where.log() + ".1") == (1U << 20U) + 1);
}

TEST_CASE("a request that finds no daemon starts one before the retries above try again") {
  FakeLoop loop;
  Exchange refused;
  refused.path = "/api";
  refused.ending = "refused";
  int revived = 0;
  Status answer_of_revive;
  const auto transport = local::make_reviving_transport(
      std::make_unique<FakeTransport>(loop, std::vector<Exchange>{refused}), [&] {
        ++revived;
        return answer_of_revive;
      });
  bool transient = false;
  std::optional<Status> end;
  net::Request request;
  request.target = "/api";
  SUBCASE("it is worth another attempt") {}
  SUBCASE("a daemon that was told to end stays so") {
    answer_of_revive = Error{Code::error, "the embedded cluster was ended", ""};
  }
  const HandlePtr handle = transport->start(
      request,
      {{}, {}, [&](Status status) { end = std::move(status); }, [&] { transient = true; }});
  loop.run_until([&] { return end.has_value(); });
  CHECK(revived == 1);
  REQUIRE_FALSE(*end);
  CHECK(transient == answer_of_revive.has_value());
  if (!answer_of_revive) CHECK(end->error().message == "the embedded cluster was ended");
}

TEST_CASE("containers start from the user's variables, not from the terminal's") {
  const Environment base = local::base_environment(
      with({{"PATH", "/bin"}, {"LC_ALL", "C"}, {"TERM", "xterm"}, {"RANK", "7"}, {"HOME", "/h"}}));
  CHECK(base.all() == with({{"PATH", "/bin"}, {"LC_ALL", "C"}, {"HOME", "/h"}}).all());
}

}  // namespace
}  // namespace trainctl::testing
