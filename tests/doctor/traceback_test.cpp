// SIGUSR1 asks processes for their stacks; none without a handler gets the signal.
#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "doctor/probe_script.h"
#include "doctor/process.h"

namespace trainctl::job {
namespace traceback_test {

TEST_CASE("only a process that handles SIGUSR1, runs and has no stack is asked") {
  struct Sample {
    const char* name;
    std::string caught, state, rest;
    bool expected;
  };
  const std::vector<Sample> samples = {
      {"a handler", "0000000000000200", "S", "none no py-spy", true},
      {"a handler among others", "0000000180014a02", "R", "none no py-spy", true},
      {"a handler of SIGUSR2 alone", "0000000000000800", "S", "none no py-spy", false},
      {"SIGINT alone, as every Python has", "0000000000000002", "S", "none no py-spy", false},
      {"text", "yes", "S", "none no py-spy", false},
      {"the storage holds it", "0000000000000200", "D", "none no py-spy", false},
      {"stopped", "0000000000000200", "T", "none no py-spy", false},
      {"not a Python", "0000000000000200", "S", "rank 1", false},
      {"its stack is known", "0000000000000200", "S",
       "spy \nThread 7 (idle): \"MainThread\"\n    f (a.py:1)", false},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    const auto answer = read_probe(cat("M process 7\nM caught ", sample.caught, "\nM state ",
                                       sample.state, "\nM ", sample.rest, "\nM end\n"),
                                   "M");
    REQUIRE(answer.processes.size() == 1);
    CHECK(can_be_asked(answer.processes[0]) == sample.expected);
  }
}

TEST_CASE("lines of a traceback are told from others") {
  CHECK(is_traceback_line("Thread 0x00007f1 (most recent call first):"));
  CHECK(is_traceback_line("Current thread 0x00007f1 (most recent call first):"));
  CHECK(is_traceback_line("  File \"train.py\", line 3 in <module>"));
  CHECK_FALSE(is_traceback_line("step 40/100 loss: 0.5"));
  CHECK_FALSE(is_traceback_line("    loss (mean)"));
  CHECK_FALSE(is_traceback_line("Thread pool is full"));
}

TEST_CASE("the command signals a process with a handler, and leaves one without alone") {
  ::setenv("SCRIPT", signal_command("M", {})[2].c_str(), 1);
  const std::string line =
      "sh -c 'trap \"echo handled; exit\" USR1; while :; do sleep 0.1; done' & a=$!\n"
      "sleep 30 & b=$!; sleep 0.5\n"
      "sh -c \"$SCRIPT\" x M $b 999999999 $a | sed \"s/ $a / A /; s/ [0-9]*$/ T/\"\n"
      "kill -0 $b && echo alive; kill $b";
  FILE* const pipe = ::popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  ::pclose(pipe);
  CHECK(output == "handled\nM signalled A T\nalive\n");
}

}  // namespace traceback_test
}  // namespace trainctl::job
