// Starts tests/net/server.py and makes its certificates.
#include "support/net_server.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text.h"

extern char** environ;

namespace trainctl::testing {
namespace {

constexpr auto k_patience = std::chrono::seconds(60);

std::string tests_directory() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().string();
}

std::string read_line(int fd) {
  std::string line;
  for (char c = 0; read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

int start(std::vector<std::string> argv, int input, int output) {
  std::vector<char*> pointers;
  for (std::string& argument : argv) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t process = 0;
  const int outcome =
      posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (outcome != 0) throw std::runtime_error("cannot start " + argv[0]);
  return process;
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return ends;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "trainctl-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

const std::string& certificates() {
  static const TemporaryDirectory directory;
  static const bool made = [] {
    const std::string command = cat(tests_directory(), "/httpd/make_certificates.sh ",
                                    directory.path(), " 2>", directory.path(), "/log >&2");
    return std::system(command.c_str()) == 0;
  }();
  if (!made) throw std::runtime_error(file_text(directory.path() + "/log"));
  return directory.path();
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

NetServer::NetServer(const std::vector<std::string>& arguments) {
  // Debian's own interpreter: that is the one its python3-h2 belongs to.
  std::vector<std::string> argv = {"/usr/bin/python3", tests_directory() + "/net/server.py"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const auto input = make_pipe();
  const auto output = make_pipe();
  process_ = start(std::move(argv), input[0], output[1]);
  close(input[0]);
  close(output[1]);
  input_ = input[1];
  const Halves ready = split_once(read_line(output[0]), ' ');
  close(output[0]);
  if (ready.first != "ready") throw std::runtime_error("server.py did not start");
  port_ = std::stoi(ready.second);
}

NetServer::~NetServer() {
  close(input_);
  waitpid(process_, nullptr, 0);
}

std::vector<std::string> NetServer::tls(const std::string& name) {
  const std::string base = certificates() + '/' + name;
  return {"--certificate", base + ".pem", "--key", base + ".key"};
}

std::string NetServer::address() const {
  return cat("127.0.0.1:", port_);
}

std::vector<std::string> tls_with(std::initializer_list<std::string> more) {
  auto arguments = NetServer::tls();
  arguments.insert(arguments.end(), more);
  return arguments;
}

net::Endpoint tls_endpoint(const NetServer& server) {
  net::Endpoint endpoint;
  endpoint.base_url = "https://" + server.address();
  endpoint.ca_pem = file_text(certificates() + "/cluster-ca.pem");
  endpoint.ca_source = "/home/u/ca.pem";
  endpoint.user_agent = "trainctl/test";
  return endpoint;
}

net::Endpoint plain_endpoint(const NetServer& server) {
  net::Endpoint endpoint;
  endpoint.base_url = "http://" + server.address();
  return endpoint;
}

void run_until(Loop& loop, const std::function<bool()>& done) {
  bool expired = false;
  const HandlePtr deadline = loop.after(k_patience, [&expired] { expired = true; });
  loop.run_until([&] { return expired || done(); });
  if (expired) throw std::runtime_error("waited in vain");
}

Result<net::Response> fetch(Loop& loop, net::Transport& transport, const std::string& target) {
  net::Request request;
  request.target = target;
  request.timeout = k_patience;
  return fetch(loop, transport, std::move(request));
}

Result<net::Response> fetch(Loop& loop, net::Transport& transport, net::Request request) {
  return await<Result<net::Response>>(loop, [&](auto done) {
    return net::collect(transport, std::move(request), std::move(done));
  });
}

}  // namespace trainctl::testing
