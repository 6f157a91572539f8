// Creates the real console, files, loop and transport, and hands over to run().
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>

#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/console/system_console.h"
#include "base/file/descriptor.h"
#include "base/file/system_files.h"
#include "base/file/system_libraries.h"
#include "base/loop/loop.h"
#include "base/loop/loop_child.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/local_cluster.h"
#include "cli/run.h"
#include "history/history.h"
#include "net/curl_transport.h"

extern char** environ;

namespace {

trainctl::Environment copy_environment(char** variables) {
  std::map<std::string, std::string, std::less<>> copied;
  for (char** entry = variables; *entry != nullptr; ++entry) {
    const auto halves = trainctl::split_once(*entry, '=');
    copied.emplace(halves.first, halves.second);
  }
  return trainctl::Environment(std::move(copied));
}

// glibc allocates an answer of megabytes as a separate mapping, but stops doing so after the first
// is freed; later answers then leave holes between retained memory.
void give_back_large_pieces() {
#ifdef __GLIBC__
  constexpr int k_large = 256 << 10;
  mallopt(M_MMAP_THRESHOLD, k_large);
#endif
}

std::string working_directory() {
  std::error_code trouble;
  return std::filesystem::current_path(trouble).string();
}

// Reports an error without allocating memory. When stderr cannot be written either, the exit status
// must be enough.
int fail(std::string_view message, std::string_view hint) {
  for (const std::string_view part : {std::string_view("error: "), message,
                                      std::string_view("\nhint: "), hint, std::string_view("\n")}) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, part.data(), part.size());
  }
  return static_cast<int>(trainctl::Code::error);
}

// Runs the whole program; everything it owns is destroyed when this returns.
int run_program(int argc, char** argv) {
  using namespace trainctl;
  // A closed pipe must be an error to handle, not a signal that kills the program during a write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // likewise a file that has reached ulimit -f
  fill_standard_files();
  allow_many_files();
  if (const auto limit = too_low_file_limit()) {
    return fail(cat("too many open files: the limit is ", *limit),
                "raise the limit with ulimit -n 256");
  }
  give_back_large_pieces();
  Environment environment = copy_environment(environ);
  SystemConsole console(environment);
  SystemFiles files;
  files.on_wait = [&console](const std::string& path) {
    console.notice(cat("waiting for input from ", printable_line(path)));
  };
  UvLoop loop;
  const cli::CommandTable commands = cli::command_table();
  cli::Context context(
      commands, console, files, loop, std::move(environment),
      [&loop](const net::Endpoint& endpoint) { return net::make_curl_transport(loop, endpoint); });
  context.program = own_program();
  context.login = login_name;
  context.directory = working_directory();
  if (std::string path = work::history_path(context.environment); !path.empty()) {
    context.history = std::make_unique<work::History>(std::move(path));
  }
  cli::offer_to_serve(loop, context);
  const int status = cli::run({argv + 1, argv + argc}, context);
  if (status != static_cast<int>(Code::broken_pipe)) return status;
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return status;  // reached when the signal is blocked, or ignored because we are a container's
                  // first process
}

// An exception for want of memory would unwind through callbacks of C libraries, which then destroy
// what they still use: a crash, or a wait without end. So the program ends where memory ran out.
[[noreturn]] void end_without_memory() {
  std::_Exit(fail("out of memory", "check the limits of this session: ulimit -a"));
}

// Also outside of run(), where loop and console are created and destroyed, nothing may end in an
// abort.
int run_guarded(int argc, char** argv) {
  std::set_new_handler(end_without_memory);
  try {
    return run_program(argc, argv);
  } catch (const std::exception& failure) {
    return fail(failure.what(), "check the limits of this session: ulimit -a");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int status = run_guarded(argc, argv);
#ifdef NDEBUG
  // Only the libraries' tables are left. The kernel frees them at once; freeing them one by one
  // takes a twentieth of a short command's time. Leak checkers still see it done.
  std::_Exit(status);
#else
  return status;
#endif
}
