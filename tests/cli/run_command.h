// Runs one command line in process on fakes, without a cluster.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/run.h"
#include "support/all_commands.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace trainctl::testing {

struct CommandRun {
  FakeLoop loop;
  MemoryFiles files;
  BufferConsole console;
  Environment environment;
  std::string login = {};           // the system's name for the user
  std::string program;              // this executable; "" = unknown
  std::vector<Exchange> exchanges;  // what the cluster answers
  int clients = 0;                  // number of connections made
  net::Endpoint endpoint;           // endpoint of the last connection
  std::string unique_id;            // marks what the run creates; "" = random

  int operator()(const std::vector<std::string>& args) {
    console.stdout_text.clear();
    console.stderr_text.clear();
    cli::Context context(
        all_commands(), console, files, loop, environment,
        [this](const net::Endpoint& to) -> Result<std::unique_ptr<net::Transport>> {
          ++clients;
          endpoint = to;
          return std::unique_ptr<net::Transport>(std::make_unique<FakeTransport>(loop, exchanges));
        });
    context.login = [this] { return login; };
    context.program = program;
    if (!unique_id.empty()) context.unique_id = [this] { return unique_id; };
    return cli::run(args, context);
  }

  // The manifest that a client dry run with these arguments prints.
  Json manifest(std::vector<std::string> args) {
    const std::vector<std::string> dry_run = {"--dry-run=client", "-o", "json"};
    args.insert(args.begin() + 1, dry_run.begin(), dry_run.end());
    if ((*this)(args) != 0) return Json(console.stderr_text);
    return Json::parse(console.stdout_text);
  }
};

}  // namespace trainctl::testing
