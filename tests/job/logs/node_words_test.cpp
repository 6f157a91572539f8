// Which bytes behind a cut last line are the node's: they would be printed as the job's own.
#include <doctest/doctest.h>

#include "job/logs/run_log.h"

namespace trainctl::job {
namespace TEST_FILE {

struct Row {
  std::string_view line;
  std::string_view own;  // what the container wrote of it
  bool followed = true;
};

TEST_CASE("words of a node behind a cut last line are no part of the line") {
  const Row rows[] = {
      {R"(2rpc error: code = NotFound desc = an error occurred when try to find container "ab12": not found)",
       "2"},
      {R"(step 7rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused")",
       "step 7"},
      {"lossrpc error: code = Unknown desc = Error: No such container: ab12", "loss"},
      {"0.5failed to create fsnotify watcher: too many open files", "0.5"},
      {R"(epochfailed to watch directory "/var/log/pods/ml_ddp": no space left on device)",
       "epoch"},
      {"7fsnotify: queue or buffer overflow", "7"},
      {"7context deadline exceeded", "7"},
      {"7context canceled", "7"},
      {R"(7failed to read log file "/var/log/pods/x/0.log": read /var/log/pods/x/0.log: input/output error)",
       "7"},
      {R"(7failed to read log file "/var/log/pods/x/0.log": input/output error)", "7", false},
      {R"(7failed to open log file "/var/log/pods/x/0.log": no such file or directory)", "7",
       false},
      {"unable to retrieve container logs for containerd://ab12", "", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(row.line.substr(0, node_words_at(row.line, row.followed)) == row.own);
  }
}

TEST_CASE("a program's own last words without a newline stay its own") {
  const Row rows[] = {
      {"Killed", "Killed"},
      {"", ""},
      {"failed to read log file config.log", "failed to read log file config.log"},
      // Nobody asks the runtime for the container of a log that is read as it is.
      {"grpc failed: rpc error: code = Unavailable desc = peer",
       "grpc failed: rpc error: code = Unavailable desc = peer", false},
      {"context canceled", "context canceled", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(row.line.substr(0, node_words_at(row.line, row.followed)) == row.own);
  }
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
