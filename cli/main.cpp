// Builds the real console, files, loop and transport, and hands over to run().
#include <csignal>

#include <unistd.h>

#include "base/loop.h"
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

}  // namespace

int main(int argc, char** argv) {
  using namespace trainctl;
  // A reader that goes away is an error to handle, not a death in the middle of a write.
  std::signal(SIGPIPE, SIG_IGN);
  Environment environment = copy_environment(environ);
  SystemConsole console(environment);
  SystemFiles files;
  UvLoop loop;
  cli::Context context(
      console, files, loop, std::move(environment),
      [&loop](const net::Endpoint& endpoint) { return net::make_curl_transport(loop, endpoint); });
  const int status = cli::run({argv + 1, argv + argc}, context);
  if (status != static_cast<int>(Code::broken_pipe)) return status;
  std::signal(SIGPIPE, SIG_DFL);
  return std::raise(SIGPIPE);
}
