// Reads the output of the probe, also when a program is hostile.
#include "doctor/process.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/text/text.h"
#include "doctor/probe_script.h"
#include "doctor/waits.h"
#include "support/net_server.h"

namespace trainctl::job {
namespace process_test {

std::string stack_words(std::string_view text) {
  std::vector<std::string> all;
  for (const Frame& frame : read_stack(text)) all.push_back(frame_words(frame));
  return join(all, " < ");
}

TEST_CASE("the main thread's stack is read from py-spy's and faulthandler's text") {
  struct Sample {
    const char* name;
    std::string text, expected;
  };
  const std::vector<Sample> samples = {
      {"py-spy",
       "Process 7: python train.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n"
       "Thread 9 (idle): \"Loader (1)\"\n    wait (threading.py:320)\n"
       "Thread 7 (idle): \"MainThread\"\n    read_shard (data.py:88)\n    main "
       "(/work/train.py:12)\n"
       "    <module> (train.py)\nThread 8 (idle): \"late\"\n    run (threading.py:1)\n",
       "data.py:88 read_shard < train.py:12 main < train.py <module>"},
      {"faulthandler",
       "Thread 0x00007f1 (most recent call first):\n  File \"/usr/lib/python3.11/threading.py\", "
       "line 320 "
       "in wait\n\nCurrent thread 0x00007f2 (most recent call first):\n  File \"/w/data.py\", line "
       "88 in read_shard\n  File \"train.py\", line 3 in <module>\n",
       "data.py:88 read_shard < train.py:3 <module>"},
      {"a refusal", "Error: Permission Denied (os error 13)\n    try (again:1)\n", ""},
      {"nothing", "", ""},
      {"a half line", "Thread 1 (idle): \"MainThread\"\n    f (a.py:", ""},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    CHECK(stack_words(sample.text) == sample.expected);
  }
}

TEST_CASE("a main thread that sleeps while its threads compute is no rank that waits") {
  const auto answer = read_probe(
      "M process 7\nM state S\nM wchan futex_do_wait\nM used 1000 50.25\nM process 8\nM state S\n"
      "M wchan futex_do_wait\nM used 1000 50.25\nM process 9\nM state S\nM wchan pipe_read\n"
      "M used 0 50.25\nM later 7 1180 51.27\nM later 8 1001 51.27\nM later 9 99 51.27\n"
      "M later 10 5 51.27\nM later 8 99 x\nM later 8\nM end\n",
      "M");
  REQUIRE(answer.processes.size() == 3);
  CHECK(answer.processes[0].cpu_percent == 176);
  CHECK(wait_of(answer.processes[0]) == Wait::runs);
  CHECK(answer.processes[1].cpu_percent == 0);
  CHECK(wait_of(answer.processes[1]) == Wait::lock);
  CHECK(wait_of(answer.processes[2]) == Wait::pipe);
}

TEST_CASE("an answer gives the facts of each process") {
  const auto answer = read_probe(
      "noise\nM machine x86_64\nM process 7\nM state S\nM parent 1\nM command python train.py\n"
      "M wchan 0\nM syscall 0 0x3 0x1\nM pipe /data/in\nM rank 17\nM local 1\n"
      "M kernel [<0>] pipe_read+0x1/0x2\nM spy \nProcess 7: x\nThread 7 (idle): \"MainThread\"\n"
      "    read_shard (data.py:88)\n\nM process 9\nM state R\nM none no py-spy in the container\nM "
      "end\n"
      "M process 11\n",
      "M");
  REQUIRE(answer.processes.size() == 2);
  CHECK(answer.is_complete);
  const Process& first = answer.processes[0];
  CHECK(first.pid == 7);
  CHECK(first.parent == 1);
  CHECK(first.state == 'S');
  CHECK(first.wchan.empty());
  CHECK(first.syscall == "read");
  CHECK(first.rank == "17");
  CHECK(first.kernel == std::vector<std::string>{"pipe_read"});
  CHECK(wait_of(first) == Wait::pipe);
  CHECK(state_words(first) == "state S, reads /data/in");
  REQUIRE(first.stack.size() == 1);
  CHECK(answer.processes[1].no_stack == "no py-spy in the container");
}

TEST_CASE("a complaint of py-spy says why there is no stack") {
  const auto answer =
      read_probe("M process 7\nM spy \nError: Permission Denied: Try running again\nM end\n", "M");
  REQUIRE(answer.processes.size() == 1);
  CHECK(answer.processes[0].no_stack == "py-spy: Error: Permission Denied: Try running again");
  CHECK(read_probe("M process 7\nM spy \n\nM end\n", "M").processes[0].no_stack ==
        "py-spy gave no answer in time");
}

TEST_CASE("hostile text is bounded and printable, and fakes no frame") {
  const std::string hostile = "\x1b]0;x\x07\xe2\x80\xae\xff" + std::string(10'000'000, 'a');
  const auto answer = read_probe(cat("M process 7\nM command ", hostile,
                                     "\nMM end\nMend\nM rank 12;rm\nM state \x1b\nM spy \n",
                                     "Thread 7 (idle): \"MainThread\"\n    ", hostile, " (",
                                     hostile, ":99999999999)\n", "other process 9\nM end\n"),
                                 "M");
  REQUIRE(answer.processes.size() == 1);
  const Process& process = answer.processes[0];
  CHECK(process.command.size() < 400);
  CHECK(process.command.find('\x1b') == std::string::npos);
  CHECK(process.command.find("\xe2\x80\xae") == std::string::npos);
  CHECK(is_utf8(process.command));
  CHECK(process.rank.empty());
  CHECK(process.state == '?');
  REQUIRE(process.stack.size() == 1);
  CHECK(frame_words(process.stack[0]).size() < 400);
  CHECK(process.stack[0].line == 0);
  std::string many;
  for (int at = 0; at < 2000; ++at) many += "M process 1\n";
  CHECK(read_probe(many, "M").processes.size() == 1000);
  std::string deep = "Thread 7 (idle): \"MainThread\"\n";
  for (int at = 0; at < 500; ++at) deep += "    f (a.py:1)\n";
  CHECK(read_stack(deep).size() == 64);
}

TEST_CASE("the processes that train are those of a LOCAL_RANK, else the first program") {
  struct Sample {
    const char* name;
    std::string text, expected;
  };
  const std::vector<Sample> samples = {
      {"torchrun with two ranks and a data loader",
       "M process 1\nM command sh -c x\nM process 2\nM command python torchrun train.py\nM none x\n"
       "M process 3\nM command python train.py\nM local 0\nM none x\nM process 4\nM command python "
       "train.py\nM local 1\nM none x\nM process 5\nM command python train.py\nM local 1\nM none "
       "x\n",
       "3 4"},
      {"a launcher and its program",
       "M process 1\nM command python /bin/torchrun a.py\nM none x\nM process 2\nM command python "
       "a.py\n"
       "M none x\n",
       "2"},
      {"a shell whose words name python",
       "M process 1\nM command sh -c python a.py; true\nM none x\nM process 2\nM command python "
       "a.py\nM none x\n",
       "2"},
      {"a program that is not Python",
       "M process 1\nM command /bin/sh run\nM process 2\nM command ./train\n", "2"},
      {"a shell alone", "M process 1\nM command sh\n", "1"},
      {"nothing", "M end\n", ""},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    std::vector<std::string> pids;
    for (const Process& process : training_processes(read_probe(sample.text, "M"))) {
      pids.push_back(cat(process.pid));
    }
    CHECK(join(pids, " ") == sample.expected);
  }
}

// The output of a line of sh, in which "$PROBE" is the probe.
std::string shell_output(const std::string& line) {
  ::setenv("PROBE", probe_command("mark")[2].c_str(), 1);
  FILE* const pipe = ::popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  ::pclose(pipe);
  return output;
}

// The output of the probe, run by sh beside a process whose command line names python.
std::string probe_output(const std::string& mark, const std::string& tool, std::size_t announced) {
  ::setenv("TOOL", tool.c_str(), 1);
  return shell_output(
      cat("sh -c 'sleep 2; :' python >/dev/null 2>&1 & printf %s \"$TOOL\" | sh -c \"$PROBE\" x ",
          mark, " ", announced));
}

TEST_CASE("a line break in a process's name or in a variable hides no other process") {
  const testing::TemporaryDirectory directory;
  const std::string program = cat(directory.path(), "/a\nb");
  std::filesystem::copy_file("/bin/sleep", program);
  ::setenv("PROGRAM", program.c_str(), 1);
  const std::string output = shell_output(
      "\"$PROGRAM\" 3 >/dev/null 2>&1 & RANK=4 NOTE='x\nRANK=7' sleep 3 >/dev/null 2>&1 & "
      "sleep 0.2; sh -c \"$PROBE\" x M; :");
  const ProbeAnswer answer = read_probe(output, "M");
  CHECK(answer.is_complete);
  int named = 0, ranked = 0;
  for (const Process& process : answer.processes) {
    if (process.command == cat(directory.path(), "/a b 3")) named += process.cpu_percent ? 1 : 0;
    if (process.command == "sleep 3") ranked += process.rank == "4" ? 1 : 0;
  }
  CHECK(named == 1);
  CHECK(ranked == 1);
}

TEST_CASE("the probe runs the py-spy that it gets, and removes it") {
  const std::string mark = cat("probe-test-", ::getpid());
  const std::string tool = "#!/bin/sh\necho seen by $0\n";
  const std::string place = cat("/tmp/trainctl-py-spy-", mark);
  const std::string whole = probe_output(mark, tool, tool.size());
  CHECK(whole.find(cat(mark, " spy \nseen by ", place)) != std::string::npos);
  CHECK(whole.ends_with(cat(mark, " end \n")));
  CHECK(::access(place.c_str(), F_OK) != 0);

  const std::string cut = probe_output(mark, tool.substr(0, 12), tool.size());
  CHECK(cut.find("none py-spy could not be copied to /tmp") != std::string::npos);
  CHECK(cut.find("seen by") == std::string::npos);
  CHECK(::access(place.c_str(), F_OK) != 0);
}

TEST_CASE("the probe's command is short enough for a URL") {
  const auto command = probe_command("mark");
  CHECK(command.back() == "mark");
  CHECK(command[2].size() < 3000);
}

}  // namespace process_test
}  // namespace trainctl::job
