// Builds the real console, files, loop and transport, and hands over to run().
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <malloc.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/open_files.h"
#include "base/system_console.h"
#include "base/system_files.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/run.h"
#include "net/curl_transport.h"

namespace {

trainctl::Environment copy_environment(char** variables) {
  std::map<std::string, std::string, std::less<>> copied;
  for (char** entry = variables; *entry != nullptr; ++entry) {
    const auto halves = trainctl::split_once(*entry, '=');
    copied.emplace(halves.first, halves.second);
  }
  return trainctl::Environment(std::move(copied));
}

// An answer of megabytes is a mapping of its own, which glibc stops making after the first: between
// what is kept of it such answers leave holes.
void give_back_large_pieces() {
#ifdef __GLIBC__
  constexpr int k_large = 256 << 10;
  mallopt(M_MMAP_THRESHOLD, k_large);
#endif
}

// This executable, also when a newer one has taken its place meanwhile.
std::string own_program() {
  std::error_code trouble;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", trouble).string();
  constexpr std::string_view k_replaced = " (deleted)";
  if (path.ends_with(k_replaced)) path.resize(path.size() - k_replaced.size());
  return path;
}

std::string working_directory() {
  std::error_code trouble;
  return std::filesystem::current_path(trouble).string();
}

// The whole program: all that it holds is taken apart when this returns.
int run_program(int argc, char** argv) {
  using namespace trainctl;
  // A reader that goes away is an error to handle, not a death in the middle of a write.
  std::signal(SIGPIPE, SIG_IGN);
  fill_standard_files();
  allow_many_files();
  give_back_large_pieces();
  Environment environment = copy_environment(environ);
  SystemConsole console(environment);
  SystemFiles files;
  UvLoop loop;
  cli::Context context(
      console, files, loop, std::move(environment),
      [&loop](const net::Endpoint& endpoint) { return net::make_curl_transport(loop, endpoint); });
  context.program = own_program();
  context.directory = working_directory();
  context.serve_local = [&loop, &context](const local::ServeOptions& options) {
    return local::serve(loop, context.environment, options, context.program);
  };
  const int status = cli::run({argv + 1, argv + argc}, context);
  if (status != static_cast<int>(Code::broken_pipe)) return status;
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return status;  // where it is blocked, or spares us as the first process of a container
}

}  // namespace

int main(int argc, char** argv) {
  const int status = run_program(argc, argv);
#ifdef NDEBUG
  // What is left are the tables of the libraries. The kernel takes them back at once; to free them
  // one by one takes a twentieth of a short command. Leak checkers get to see it done.
  std::quick_exit(status);
#else
  return status;
#endif
}
