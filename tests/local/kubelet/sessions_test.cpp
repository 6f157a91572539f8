// exec, attach and portforward on containers that are real processes.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/loop/tcp_port.h"
#include "local/kubelet/kubelet_world.h"
#include "local/pod_requests.h"

namespace sessions_test {

using namespace trainctl;
using namespace trainctl::testing;

// The bytes that a client would have got, by channel.
struct Peer : ApiSocket {
  void send(std::string_view head, std::string_view body) override {
    std::string message(head);
    message += body;
    REQUIRE(!message.empty());
    channels[static_cast<std::size_t>(message[0])] += message.substr(1);
  }
  std::size_t waiting() const override { return stuck ? channels[1].size() : 0; }
  void pause(bool wanted) override { paused = wanted; }
  void close() override { closed = true; }

  std::string status() const { return channels[3]; }
  std::vector<std::string> channels = std::vector<std::string>(8);
  bool stuck = false;
  bool paused = false;
  bool closed = false;
};

struct SessionWorld : KubeletWorld {
  // Declared behind the world, so a session ends before its loop.
  Peer peer;
  std::unique_ptr<ApiSession> session;

  SessionWorld() { std::signal(SIGPIPE, SIG_IGN); }
  void run_pod(std::string_view script = "sleep 1000", std::string_view container = "{}") {
    run("p", script, "Never", container, "{terminationGracePeriodSeconds: 0}");
    until("p", "/status/phase", "Running");
  }
  StreamQuestion question(std::vector<std::string> command) {
    StreamQuestion question;
    question.protocol = "v5.channel.k8s.io";
    question.container = "c";
    question.command = std::move(command);
    question.output = true;
    question.error_output = true;
    return question;
  }
  void exec(const StreamQuestion& question) {
    peer = Peer();
    session = kubelet->exec(pod("p"), question);
    session->begin(peer);
  }
  void shell(const std::string& script) { exec(question({"sh", "-c", script})); }
  void wait() {
    testing::run_until(loop, [&] { return peer.closed; });
  }
  void say(std::string_view message) { session->take(message); }
  // Nothing on the loop tells that another process has written a file.
  bool becomes(const std::function<bool()>& done) {
    for (int looks = 0; looks < 1000 && !done(); ++looks) pass(loop, 20ms);
    return done();
  }
  bool appears(const std::string& path) {
    return becomes([&] { return std::filesystem::exists(path); });
  }
  std::string file(const std::string& name) const { return cat(place.path(), "/", name); }
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_CASE_FIXTURE(SessionWorld, "A command has streams of its own and the status of its end") {
  run_pod();
  shell("echo out; echo err >&2; exit 7");
  wait();
  CHECK(peer.channels[1] == "out\n");
  CHECK(peer.channels[2] == "err\n");
  CHECK(
      peer.status() ==
      R"({"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: )"
      R"(command terminated with exit code 7","reason":"NonZeroExitCode","details":{"causes":[)"
      R"({"reason":"ExitCode","message":"7"}]}})");
  shell("true");
  wait();
  CHECK(peer.status() == R"({"metadata":{},"status":"Success"})");
  shell("kill -9 $$");
  wait();
  CHECK(peer.status().find(R"("message":"137")") != std::string::npos);
  auto old = question({"sh", "-c", "exit 2"});
  old.protocol = "v4.channel.k8s.io";
  exec(old);
  wait();
  CHECK(peer.status().find("error executing command [sh -c exit 2], exit code 2") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(SessionWorld, "A command sees what the container's program sees") {
  run_pod("sleep 1000", cat("{env: [{name: MY, value: own}], workingDir: ", place.path(), "}"));
  shell("pwd; echo $MY $HOSTNAME; ps -o sid= -p $$ | tr -d ' '; echo $$");
  wait();
  const auto lines = split(peer.channels[1], '\n');
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == place.path());
  CHECK(lines[1] == "own p");
  CHECK(lines[2] == lines[3]);
}

TEST_CASE_FIXTURE(SessionWorld, "Daemons of Open MPI in two replicas of a machine share no files") {
  labels = {{"training.kubeflow.org/operator-name", "mpijob-controller"}};
  run_pod();
  shell("cd \"$OMPI_MCA_orte_tmpdir_base\" && basename \"$PWD\"");
  wait();
  CHECK(trim(peer.channels[1]) == text_at(pod("p"), "/metadata/uid"));
}

TEST_CASE_FIXTURE(SessionWorld, "Bytes of stdin arrive, and so does its end") {
  run_pod();
  auto asked = question({"cat"});
  asked.input = true;
  exec(asked);
  const std::string bytes = std::string("a\0\n\xff", 4) + std::string(100'000, 'x');
  say(std::string(1, '\0') + bytes);
  say(std::string("\xff\0", 2));
  wait();
  CHECK(peer.channels[1] == bytes);
  CHECK(peer.status() == R"({"metadata":{},"status":"Success"})");
}

TEST_CASE_FIXTURE(SessionWorld, "A program that does not read stops its client") {
  run_pod();
  auto asked = question({"sh", "-c", "read -r line; sleep 1000"});
  asked.input = true;
  exec(asked);
  const std::string piece = std::string(1, '\0') + std::string(32'000, 'x');
  for (int i = 0; i < 20; ++i) say(piece);
  CHECK(peer.paused);
}

TEST_CASE_FIXTURE(SessionWorld, "A client that does not read stops the program") {
  run_pod();
  peer.stuck = true;
  session = kubelet->exec(pod("p"), question({"yes"}));
  session->begin(peer);
  testing::run_until(loop, [&] { return peer.channels[1].size() > k_session_room; });
  for (int i = 0; i < 20; ++i) settle(loop);
  CHECK(peer.channels[1].size() < 2 * k_session_room);
  peer.stuck = false;
  session->on_drained();
  testing::run_until(loop, [&] { return peer.channels[1].size() > 3 * k_session_room; });
}

TEST_CASE_FIXTURE(SessionWorld, "A terminal has a size, and is hung up when its client goes") {
  run_pod();
  auto asked = question({"sh", "-c",
                         cat("trap 'echo hung >", file("hup"),
                             "; exit' HUP; read -r line; tty; stty size; read -r again")});
  asked.input = true;
  asked.terminal = true;
  exec(asked);
  say("\x04{\"Width\":101,\"Height\":33}");
  say(std::string("\0go\n", 4));
  testing::run_until(loop, [&] { return peer.channels[1].find("33 101") != std::string::npos; });
  CHECK(peer.channels[1].find("/dev/pts/") != std::string::npos);
  session.reset();
  CHECK(appears(file("hup")));
}

TEST_CASE_FIXTURE(SessionWorld, "A command whose client has gone finds its stdin ended") {
  run_pod();
  auto asked = question({"sh", "-c", cat("cat >/dev/null; touch ", file("gone"))});
  asked.input = true;
  exec(asked);
  say(std::string("\0x", 2));
  session.reset();
  CHECK(appears(file("gone")));
}

TEST_CASE_FIXTURE(SessionWorld, "No command outlives its container") {
  run_pod();
  shell("echo $$; sleep 1000");
  testing::run_until(loop, [&] { return peer.channels[1].ends_with('\n'); });
  const pid_t pid = std::atoi(peer.channels[1].c_str());
  CHECK(::kill(pid, 0) == 0);
  store->remove(served("pods"), "ml", "p");
  wait();
  CHECK(peer.status().find(R"("message":"137")") != std::string::npos);
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE_FIXTURE(SessionWorld, "What cannot be run is told as a container runtime tells it") {
  run_pod();
  exec(question({"nosuch"}));
  wait();
  CHECK(peer.status().find(R"(exec: \"nosuch\": executable file not found in $PATH: unknown)") !=
        std::string::npos);
  CHECK(peer.status().find("ExitCode") == std::string::npos);
  exec(question({}));
  wait();
  CHECK(peer.status().find("args must not be empty") != std::string::npos);
  exec(question({std::string("a\0b", 3)}));
  wait();
  CHECK(peer.status().find("invalid argument") != std::string::npos);
  run("ended", "true");
  finished("ended");
  peer = Peer();
  session = kubelet->exec(pod("ended"), question({"true"}));
  session->begin(peer);
  CHECK(peer.closed);
  CHECK(peer.status().find(R"(unable to upgrade connection: container not found (\"c\"))") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(SessionWorld, "200 commands one after another leave nothing open") {
  run_pod();
  std::size_t before = 0;
  for (int i = 0; i < 200; ++i) {
    if (i == 2) before = open_descriptors();
    exec(question({"true"}));
    wait();
    session.reset();
  }
  settle(loop);
  CHECK(open_descriptors() <= before);
}

TEST_CASE_FIXTURE(SessionWorld, "Who attaches sees what comes, and is heard") {
  run_pod("echo before; while read -r line; do echo heard $line; done; echo ended",
          "{stdin: true, stdinOnce: true}");
  REQUIRE(becomes([&] { return log("p") == "before\n"; }));
  auto asked = question({});
  asked.input = true;
  session = kubelet->attach(pod("p"), asked);
  session->begin(peer);
  say(std::string("\0hello\n", 7));
  testing::run_until(loop, [&] { return peer.channels[1] == "heard hello\n"; });
  say(std::string("\xff\0", 2));
  wait();
  CHECK(peer.channels[1] == "heard hello\nended\n");
  CHECK(peer.status() == R"({"metadata":{},"status":"Success"})");
}

TEST_CASE_FIXTURE(SessionWorld, "A program without a stdin is not disturbed by what is typed") {
  run_pod("read -r line || echo none; sleep 1000");
  REQUIRE(becomes([&] { return log("p") == "none\n"; }));
  auto asked = question({});
  asked.input = true;
  session = kubelet->attach(pod("p"), asked);
  session->begin(peer);
  say(std::string("\0hello\n", 7));
  settle(loop);
  CHECK_FALSE(peer.closed);
}

TEST_CASE_FIXTURE(SessionWorld, "A port leads to who listens on it, and says when nobody does") {
  run_pod();
  const auto socket = listen_on("127.0.0.1", 0);
  REQUIRE(socket);
  const int port = socket->port();
  session = kubelet->forward(pod("p"), {port});
  session->begin(peer);
  const std::string number = {static_cast<char>(port & 0xff), static_cast<char>(port >> 8)};
  CHECK(peer.channels[0] == number);
  CHECK(peer.channels[1] == number);
  std::optional<TcpSocket> program;
  testing::run_until(loop, [&] { return (program = socket->accept()).has_value(); });
  say(std::string("\0ping", 5));
  std::string heard;
  testing::run_until(loop, [&] {
    const auto piece = program->read();
    if (piece && *piece) heard += **piece;
    settle(loop);
    return heard == "ping";
  });
  REQUIRE(program->write("pong"));
  program.reset();
  wait();
  CHECK(peer.channels[0] == number + "pong");
  CHECK(peer.channels[1] == number);

  int closed = 0;
  {
    const auto gone = listen_on("127.0.0.1", 0);
    closed = gone->port();
  }
  peer = Peer();
  session = kubelet->forward(pod("p"), {closed});
  session->begin(peer);
  wait();
  CHECK(peer.channels[1].find(cat("failed to connect to localhost:", closed)) != std::string::npos);
  CHECK(peer.channels[1].ends_with("connection refused"));
}

}  // namespace sessions_test
