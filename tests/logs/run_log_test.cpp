// When a log is whole: stopping an answer too early loses the last lines, the ones that say why.
#include "logs/run_log.h"

#include <vector>

#include <doctest/doctest.h>

namespace trainctl::job {

namespace run_log_test {

using Next = EndEvidence::Next;

constexpr EndEvidence::Answer k_stream{.behind_newest = true};
constexpr EndEvidence::Answer k_whole{.behind_newest = true, .drains = true};
constexpr EndEvidence::Answer k_short{.drains = true};
constexpr EndEvidence::Answer k_last_chance{
    .behind_newest = true, .drains = true, .suffices = true};

struct Row {
  std::vector<EndEvidence::Answer> answers;
  Next next;
  bool whole;
};

TEST_CASE("a log is whole when two answers after its container's end agree where it ends") {
  const Row rows[] = {
      {{k_stream}, Next::read_on, false},
      {{k_stream, k_stream}, Next::read_on, false},
      {{k_stream, k_whole}, Next::whole, true},
      {{k_whole}, Next::confirm, true},
      {{k_whole, k_whole}, Next::whole, true},
      {{k_whole, k_short}, Next::look_again, false},
      {{k_short, k_whole}, Next::confirm, true},
      {{k_short, k_whole, k_whole}, Next::whole, true},
      {{k_last_chance}, Next::whole, true},
      {{k_short, k_short, k_short, k_short, k_short}, Next::look_again, false},
      {{k_short, k_short, k_short, k_short, k_short, k_short}, Next::lost, false},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    EndEvidence end;
    Next next = Next::read_on;
    for (const auto& answer : row.answers) next = end.ended(answer);
    CHECK(next == row.next);
    CHECK(end.is_whole() == row.whole);
  }
}

TEST_CASE("a new line makes all ends before it worthless") {
  EndEvidence end;
  (void)end.ended(k_whole);
  end.new_line();
  CHECK_FALSE(end.is_whole());
  CHECK(end.ended(k_whole) == Next::confirm);
}

TEST_CASE("the pieces of one long line all have its time") {
  LineAssembler assembler;
  assembler.begin();
  const std::string long_text(std::size_t{1} << 20, 'x');
  kube::LogLine line{Time(std::chrono::seconds(7)), "7", long_text, false};
  REQUIRE(assembler.take(line));
  line = {Time(std::chrono::seconds(9)), "9", "the rest", true};
  const auto rest = assembler.take(line);
  REQUIRE(rest);
  CHECK(rest->line.stamp == Time(std::chrono::seconds(7)));
  CHECK(rest->line.stamp_text == "7");
}

}  // namespace run_log_test

// Which bytes behind a cut last line are the node's: they would be printed as the job's own.
namespace run_log_test {

struct Ending {
  std::string_view line;
  std::string_view own;  // what the container wrote of it
  bool followed = true;
};

TEST_CASE("words of a node behind a cut last line are no part of the line") {
  const Ending rows[] = {
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
  for (const Ending& row : rows) {
    CAPTURE(row.line);
    CHECK(row.line.substr(0, node_words_at(row.line, row.followed)) == row.own);
  }
}

TEST_CASE("a program's own last words without a newline stay its own") {
  const Ending rows[] = {
      {"Killed", "Killed"},
      {"", ""},
      {"failed to read log file config.log", "failed to read log file config.log"},
      // Nobody asks the runtime for the container of a log that is read as it is.
      {"grpc failed: rpc error: code = Unavailable desc = peer",
       "grpc failed: rpc error: code = Unavailable desc = peer", false},
      {"context canceled", "context canceled", false},
  };
  for (const Ending& row : rows) {
    CAPTURE(row.line);
    CHECK(row.line.substr(0, node_words_at(row.line, row.followed)) == row.own);
  }
}

}  // namespace run_log_test

}  // namespace trainctl::job
