// Clients of the embedded cluster whose daemon is not there, or goes away.
#include "local/daemon/launch.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "base/file/descriptor.h"
#include "local/daemon/daemon.h"
#include "support/fake_transport.h"
#include "support/fakes.h"
#include "support/file_limit.h"
#include "support/net_server.h"

namespace trainctl::testing {
namespace launch_test {

using local::DaemonPaths;
namespace fs = std::filesystem;

Environment with(std::map<std::string, std::string, std::less<>> variables) {
  return Environment(std::move(variables));
}

DaemonPaths below(const TemporaryDirectory& directory) {
  return {directory.path() + "/state", directory.path() + "/run/local.sock"};
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

TEST_CASE("a daemon that was killed before its first word is started again") {
  const TemporaryDirectory directory;
  local::Launch launch;
  launch.environment = with({{"PATH", "/usr/bin:/bin"}});
  launch.program = directory.path() + "/daemon";
  std::ofstream(launch.program) << "#!/bin/sh\n[ -e " << directory.path() << "/seen ] && "
                                << "{ printf '" << local::k_ready << "' >&3; exit; }\n"
                                << ": > " << directory.path() << "/seen; kill -9 $$\n";
  fs::permissions(launch.program, fs::perms(0700));
  CHECK(local::ensure_running(below(directory), launch));
}

TEST_CASE("a daemon is started with nothing of the shell's but its environment") {
  const TemporaryDirectory directory;
  local::Launch launch;
  launch.environment = with({{"PATH", "/usr/bin:/bin"}, {"COLOUR", "green"}});
  launch.gpus = 2;
  launch.idle = std::chrono::seconds(90);
  launch.program = directory.path() + "/daemon";
  std::ofstream(launch.program) << "#!/bin/sh\necho $* $COLOUR $(pwd) $(cat | wc -c)\n"
                                   "ls /proc/self/fd | tr '\\n' ' '\n"
                                   "echo ready >&3\n";
  fs::permissions(launch.program, fs::perms(0700));
  REQUIRE(local::ensure_running(below(directory), launch));
  const std::string log = file_text(below(directory).log());
  CHECK(log.starts_with("local serve --local-gpus=2 --idle=90 --ready-fd=3 green / 0\n"));
  CAPTURE(log);
  CHECK(log.ends_with("\n0 1 2 3 4 "));  // 4 is the directory that ls reads
}

TEST_CASE("a log that grew makes room for a new one") {
  const TemporaryDirectory directory;
  const DaemonPaths where = below(directory);
  REQUIRE(local::make_private(where));
  std::ofstream(where.log()) << std::string((1U << 20U) + 1, 'x');
  local::Launch launch;
  launch.program = "/bin/false";
  CHECK_FALSE(local::ensure_running(where, launch));
  CHECK(fs::file_size(where.log()) == 0);
  CHECK(fs::file_size(where.log() + ".1") == (1U << 20U) + 1);
}

// Requests that are refused, and a daemon that is back after some looks.
struct Reviving {
  explicit Reviving(local::Revive revive) {
    Exchange refused;
    refused.path = "/api";
    refused.ending = "refused";
    refused.repeat = true;
    transport = local::make_reviving_transport(
        loop, std::make_unique<FakeTransport>(loop, std::vector<Exchange>{refused}),
        std::move(revive));
    ask();
  }
  void ask() {
    end.reset();
    pause.reset();
    transient = false;
    net::Request request;
    request.target = "/api";
    net::Handlers handlers;
    handlers.on_done = [this](Status status) { end = std::move(status); };
    handlers.on_transient = [this](std::optional<Duration> wish) {
      transient = true;
      pause = wish;
    };
    handle = transport->start(request, std::move(handlers));
  }
  void until_end() {
    loop.run_until([this] { return end.has_value(); });
    CHECK_FALSE(*end);
  }
  FakeLoop loop;
  std::unique_ptr<net::Transport> transport;
  bool transient = false;
  std::optional<Duration> pause;
  std::optional<Status> end;
  HandlePtr handle;
};

TEST_CASE("a request whose daemon died is worth another attempt as soon as there is a new one") {
  int looks = 0;
  Reviving reviving([&looks] { return ++looks < 4 ? 0 : 4711; });
  reviving.until_end();
  CHECK(looks == 4);
  CHECK(reviving.transient);
  CHECK(reviving.pause == Duration{});
}

// Takes the place of a transport whose request leaves HTTP at once.
class UpgradingTransport : public net::Transport, net::WebSocket {
 public:
  HandlePtr start(net::Request, net::Handlers handlers) override {
    handlers.on_socket(*this);
    handlers.on_drained();
    return nullptr;
  }
  const std::string& protocol() const override { return protocol_; }
  void send(std::string_view, std::string_view) override {}
  std::size_t waiting() const override { return 0; }
  void pause(bool) override {}

 private:
  std::string protocol_ = "v5.channel.k8s.io";
};

TEST_CASE("a request to the daemon can leave HTTP for messages") {
  FakeLoop loop;
  const auto transport = local::make_reviving_transport(
      loop, std::make_unique<UpgradingTransport>(), [] { return 4711; });
  std::string protocol;
  bool drained = false;
  net::Handlers handlers;
  handlers.on_socket = [&](net::WebSocket& socket) { protocol = socket.protocol(); };
  handlers.on_drained = [&] { drained = true; };
  const HandlePtr handle = transport->start({}, std::move(handlers));
  CHECK(protocol == "v5.channel.k8s.io");
  CHECK(drained);
}

TEST_CASE("a daemon that lives and refuses is not asked again and again without a pause") {
  Reviving reviving([] { return 4711; });
  reviving.until_end();
  reviving.ask();
  reviving.until_end();
  CHECK(reviving.transient);
  CHECK_FALSE(reviving.pause);
}

TEST_CASE(
    "a daemon that does not come back is reported to the retries above, and asked for every few "
    "seconds") {
  Reviving reviving([] { return 0; });
  const Time began = reviving.loop.now();
  reviving.until_end();
  CHECK(reviving.loop.now() - began >= Duration(std::chrono::seconds(5)));
  CHECK(reviving.transient);
  CHECK(reviving.pause == Duration(std::chrono::seconds(1)));
}

TEST_CASE("a daemon that was ended on purpose stays so") {
  Reviving reviving([] { return Error{Code::error, "the embedded cluster was ended", ""}; });
  reviving.until_end();
  CHECK_FALSE(reviving.transient);
  CHECK(reviving.end->error().message == "the embedded cluster was ended");
}

// Gets no descriptor for a connection.
class FullTransport : public net::Transport {
 public:
  explicit FullTransport(Loop& loop) : loop_(loop) {}
  HandlePtr start(net::Request, net::Handlers handlers) override {
    return loop_.after({}, [handlers = std::move(handlers)] {
      handlers.on_transient(std::nullopt);
      handlers.on_done(net::too_many_open("local.sock", 21));
    });
  }

 private:
  Loop& loop_;
};

TEST_CASE("a client that may open no more files says so, whatever became of its daemon") {
  FakeLoop loop;
  int looks = 0;
  const auto transport = local::make_reviving_transport(loop, std::make_unique<FullTransport>(loop),
                                                        [&looks] { return ++looks; });
  bool transient = false;
  std::optional<Status> end;
  net::Handlers handlers;
  handlers.on_transient = [&transient](std::optional<Duration>) { transient = true; };
  handlers.on_done = [&end](Status status) { end = std::move(status); };
  const HandlePtr handle = transport->start({}, std::move(handlers));
  loop.run_until([&end] { return end.has_value(); });
  CHECK(looks == 0);
  CHECK(transient);
  CHECK(end->error().message.find("too many open files") != std::string::npos);
  CHECK(end->error().hint.starts_with("raise the limit"));
}

TEST_CASE("a client that may open no more files does not believe that its daemon was ended") {
  const TemporaryDirectory directory;
  local::Reviver revive(below(directory), {});
  std::vector<Descriptor> taken;
  const FileLimit low(64);
  do {
    taken.emplace_back(::dup(0));
  } while (taken.back());
  const Result<int> daemon = revive();
  taken.clear();
  REQUIRE(daemon);
  CHECK(*daemon == 0);
}

TEST_CASE("a request that was abandoned neither waits for a daemon nor starts one") {
  int looks = 0;
  Reviving reviving([&looks] { return ++looks < 4 ? 0 : 4711; });
  reviving.loop.run_until([&looks] { return looks == 1; });
  reviving.handle.reset();
  bool later = false;
  const HandlePtr timer = reviving.loop.after(std::chrono::minutes(1), [&later] { later = true; });
  reviving.loop.run_until([&later] { return later; });
  CHECK(looks == 1);
  CHECK_FALSE(reviving.end);
}

}  // namespace launch_test
}  // namespace trainctl::testing
