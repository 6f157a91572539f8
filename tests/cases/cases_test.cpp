// Runs every directory of tests/cases as one command line against a scripted server, and compares
// what comes out byte for byte. UPDATE_GOLDEN=1 writes what came out instead.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "cases/shell_words.h"
#include "cli/context.h"
#include "cli/run.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace trainctl::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_home = "/home/ada";
constexpr std::string_view k_work = "/work";
constexpr std::string_view k_kubeconfig = R"(apiVersion: v1
kind: Config
current-context: test
clusters:
  - name: test
    cluster: {server: "https://cluster.test:6443"}
users:
  - name: ada
    user: {token: secret-token-of-ada}
contexts:
  - name: test
    context: {cluster: test, user: ada, namespace: default}
)";

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// What is expected of a stream; an absent file expects nothing.
void write_file(const fs::path& path, const std::string& content, const std::string& absent) {
  if (content == absent) {
    fs::remove(path);
    return;
  }
  std::ofstream(path, std::ios::binary) << content;
}

struct Outcome {
  std::string out, err, exit;
  std::vector<std::string> complaints;
};

class Case {
 public:
  explicit Case(fs::path directory) : directory_(std::move(directory)) {}

  Outcome run() {
    set_up_files();
    set_up_console();
    send_signals();
    auto words = shell_words(text("cmd"));
    REQUIRE_MESSAGE(words, "cmd has an open quote");
    REQUIRE_MESSAGE((!words->empty() && words->front() == "trainctl"), "cmd starts with trainctl");
    words->erase(words->begin());

    cli::Context context(console_, files_, loop_, environment(),
                         [this](const net::Endpoint&) { return transport(); });
    int submissions = 0;
    context.unique_id = [&submissions] { return cat("submission-", ++submissions); };
    set_up_disk(context);
    const int status = cli::run(*words, context);
    Outcome outcome{console_.stdout_text, console_.stderr_text, cat(status, "\n"), {}};
    if (transport_ != nullptr) outcome.complaints = transport_->complaints();
    if (transport_ == nullptr && read_file(directory_ / "http.yaml")) {
      outcome.complaints.emplace_back("http.yaml, but no client was made");
    }
    check_written_files(outcome);
    check_disk(outcome);
    return outcome;
  }

 private:
  std::string text(const char* name) const {
    return read_file(directory_ / name).value_or(std::string());
  }

  void set_up_files() {
    const std::string kubeconfig = cat(k_home, "/.kube/config");
    files_.files[kubeconfig] =
        read_file(directory_ / "kubeconfig").value_or(std::string(k_kubeconfig));
    // Reached by the relative path that is typed, and by the absolute one.
    for (const auto& [name, content] : files_below("files")) {
      files_.files[name] = files_.files[cat(k_work, "/", name)] = content;
    }
    for (const auto& [name, content] : files_below("root")) files_.files["/" + name] = content;
  }

  std::map<std::string, std::string> files_below(const char* name) const {
    return files_below(directory_ / name);
  }

  static std::map<std::string, std::string> files_below(const fs::path& root) {
    std::map<std::string, std::string> found;
    if (!fs::exists(root)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      found[fs::relative(entry.path(), root).string()] = *read_file(entry.path());
    }
    return found;
  }

  // A real directory for commands that copy files.
  void set_up_disk(cli::Context& context) {
    if (!fs::exists(directory_ / "disk") && !fs::exists(directory_ / "disk-after")) return;
    std::string name = (fs::temp_directory_path() / "trainctl-case-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    disk_ = name;
    if (fs::exists(directory_ / "disk")) {
      fs::copy(directory_ / "disk", disk_, fs::copy_options::recursive);
    }
    context.directory = name;
  }

  void check_disk(Outcome& outcome) const {
    if (disk_.empty()) return;
    const fs::path expected = directory_ / "disk-after";
    if (std::getenv("UPDATE_GOLDEN") != nullptr && fs::exists(expected)) {
      fs::remove_all(expected);
      fs::copy(disk_, expected, fs::copy_options::recursive);
    }
    if (files_below(expected) != files_below(disk_)) {
      outcome.complaints.emplace_back("the disk is not as in disk-after/");
    }
    fs::remove_all(disk_);
  }

  void set_up_console() {
    console_.stdin_text = text("stdin");
    if (!fs::exists(directory_ / "tty")) return;
    console_.in_is_tty = console_.out_is_tty = console_.err_is_tty = console_.colour = true;
    console_.redraws = true;
  }

  // Lines such as "5s INT".
  void send_signals() {
    for (const std::string& line : split(text("signal"), '\n')) {
      const auto words = split(line, ' ');
      if (words.size() != 2) continue;
      loop_.raise_after(*parse_duration(words[0]), words[1] == "INT"   ? SIGINT
                                                   : words[1] == "HUP" ? SIGHUP
                                                                       : SIGTERM);
    }
  }

  Environment environment() const {
    std::map<std::string, std::string, std::less<>> variables = {
        {"HOME", std::string(k_home)}, {"USER", "ada"}, {"PWD", std::string(k_work)}};
    for (const std::string& line : split(text("env"), '\n')) {
      const Halves halves = split_once(line, '=');
      if (halves.found) variables[halves.first] = halves.second;
    }
    return Environment(std::move(variables));
  }

  // All connections of a run lead to one server.
  Result<std::unique_ptr<net::Transport>> transport() {
    if (!transport_) {
      TRY_ASSIGN(std::vector<Exchange> script, exchanges());
      transport_ = std::make_shared<FakeTransport>(loop_, std::move(script));
    }
    return std::unique_ptr<net::Transport>(std::make_unique<Connection>(transport_));
  }

  Result<std::vector<Exchange>> exchanges() const {
    std::vector<Exchange> all;
    std::vector<fs::path> scripts = {directory_ / "http.yaml"};
    for (const std::string& world : split(std::string(trim(text("world"))), '\n')) {
      if (world.empty()) continue;
      scripts.push_back(fs::path(TRAINCTL_CASES) / "worlds" / cat(world, ".yaml"));
      REQUIRE_MESSAGE(fs::exists(scripts.back()), "there is no world called " << world);
    }
    for (const fs::path& script : scripts) {
      auto exchanges = read_exchanges(read_file(script).value_or("[]"), script.string());
      if (!exchanges) return std::move(exchanges).error();
      for (Exchange& exchange : *exchanges) all.push_back(std::move(exchange));
    }
    return all;
  }

  // Ends with its client, and the server's complaints stay.
  struct Connection : net::Transport {
    explicit Connection(std::shared_ptr<FakeTransport> the_server)
        : server(std::move(the_server)) {}
    HandlePtr start(net::Request request, net::Handlers handlers) override {
      return server->start(std::move(request), std::move(handlers));
    }
    std::shared_ptr<FakeTransport> server;
  };

  // Files below `written/` must have been written so.
  void check_written_files(Outcome& outcome) const {
    for (const auto& [path, content] : files_below("written")) {
      const auto found = files_.files.find("/" + path);
      if (found != files_.files.end() && std::getenv("UPDATE_GOLDEN") != nullptr) {
        write_file(directory_ / "written" / path, found->second, "");
      } else if (found == files_.files.end() || found->second != content) {
        outcome.complaints.push_back(cat("not written as expected: /", path));
      }
    }
  }

  fs::path directory_;
  fs::path disk_;
  FakeLoop loop_;
  BufferConsole console_;
  MemoryFiles files_;
  std::shared_ptr<FakeTransport> transport_;
};

std::vector<fs::path> case_directories() {
  std::vector<fs::path> directories;
  for (const auto& command : fs::directory_iterator(TRAINCTL_CASES)) {
    if (!command.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(command)) {
      if (fs::exists(entry.path() / "cmd")) directories.push_back(entry.path());
    }
  }
  std::sort(directories.begin(), directories.end());
  return directories;
}

void check_case(const fs::path& directory) {
  const Outcome outcome = Case(directory).run();
  for (const std::string& complaint : outcome.complaints) FAIL_CHECK(complaint);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    write_file(directory / "stdout", outcome.out, "");
    write_file(directory / "stderr", outcome.err, "");
    write_file(directory / "exit", outcome.exit, "0\n");
    return;
  }
  CHECK(outcome.out == read_file(directory / "stdout").value_or(""));
  CHECK(outcome.err == read_file(directory / "stderr").value_or(""));
  CHECK(outcome.exit == read_file(directory / "exit").value_or("0\n"));
}

TEST_CASE("every golden case says and sends what it did when a person last read it") {
  const auto directories = case_directories();
  REQUIRE(directories.size() > 40);
  for (const fs::path& directory : directories) {
    SUBCASE(fs::relative(directory, TRAINCTL_CASES).c_str()) {
      check_case(directory);
    }
  }
}

TEST_CASE("words of a case are those a shell would pass") {
  CHECK(shell_words("trainctl get  -o 'a b'\\\n \"c \\\"d\\\" \\n\" ''") ==
        std::vector<std::string>{"trainctl", "get", "-o", "a b", "c \"d\" \\n", ""});
  CHECK(shell_words("a\\ b\nc") == std::vector<std::string>{"a b", "c"});
  CHECK_FALSE(shell_words("it's"));
}

}  // namespace
}  // namespace trainctl::testing
