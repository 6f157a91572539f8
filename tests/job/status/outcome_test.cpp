// What a pipeline reads after the fact: saved logs, log records, JUnit, the summary page.
#include <doctest/doctest.h>

#include "base/text.h"
#include "job/follow/digest.h"
#include "job/follow/junit.h"
#include "job/follow/report.h"
#include "job/follow/summary.h"
#include "job/logs/last_lines.h"
#include "job/logs/log_files.h"
#include "job/objects.h"
#include "job/status/exit_words.h"
#include "support/fakes.h"

namespace trainctl::job {
namespace {

using namespace trainctl::testing;

LogOrigin origin(int attempt = 1) {
  return {{&find_kind("pytorch")->roles[1], 0}, 1, "pytorch", attempt};
}

kube::LogLine line(std::string_view text, bool complete = true) {
  return {Time{}, "2026-01-02T03:00:05.5Z", text, complete};
}

// A report of a job whose worker-0 exited 137 and left these lines.
Json failed_report(std::vector<std::string> last_lines) {
  const Kind& kind = *find_kind("pytorch");
  const Json job = pytorch_job(1, "[" + condition("Failed", "True") + "]");
  const std::vector<Json> pods = {pod("master", 0, running()),
                                  pod("worker", 0, terminated(137, "Failed", "c2", "OOMKilled"))};
  const JobState state = judge(kind, job, pods, {});
  const Outcome outcome{Error{Code::job_failed, "job ddp failed: worker-0 exited 137"},
                        *parse_time("2026-01-02T03:00:00Z"), *parse_time("2026-01-02T03:01:30Z"),
                        state.replicas[1], std::move(last_lines)};
  return job_report(kind, job, state, {&outcome, nullptr});
}

TEST_CASE("the digest has the last twenty lines of a replica, in order, however many there were") {
  for (const int count : {1, 19, 20, 21, 40, 47}) {
    CAPTURE(count);
    LastLines lines;
    const ReplicaId replica{nullptr, 1};
    for (int number = 1; number <= count; ++number) {
      lines.add(replica, std::to_string(number) + std::string(600, 'x'));
      lines.add({nullptr, 2}, "another's");
    }
    const std::vector<std::string> last = lines.of(replica);
    REQUIRE(last.size() == std::min<std::size_t>(20, static_cast<std::size_t>(count)));
    for (std::size_t place = 0; place < last.size(); ++place) {
      const auto number = static_cast<std::size_t>(count) - last.size() + place + 1;
      CHECK(last[place].starts_with(std::to_string(number) + "x"));
      CHECK(last[place].size() == 500);
    }
  }
  CHECK(LastLines().of({nullptr, 1}).empty());
}

TEST_CASE("last lines of any length come out as they went in") {
  LastLines kept;
  const ReplicaId replica{nullptr, 1};
  std::vector<std::string> all;
  for (std::size_t number = 0; number < 1000; ++number) {
    all.push_back(std::to_string(number) + std::string(number * number % 97, 'x'));
    if (number % 13 == 0) all.back().clear();
    kept.add(replica, all.back());
    const std::size_t count = std::min<std::size_t>(all.size(), k_digest_lines);
    REQUIRE(kept.of(replica) ==
            std::vector<std::string>(all.end() - static_cast<long>(count), all.end()));
  }
}

TEST_CASE("a report gives a failed job's verdict, signal and last lines to a program") {
  const Json report = failed_report({"killed"});
  CHECK(text_at(report, "/verdict/result") == "failed");
  CHECK(int_at(report, "/verdict/exitStatus") == 3);
  CHECK(int_at(report, "/followed/seconds") == 90);
  CHECK(text_at(report, "/digest/replica") == "worker-0");
  CHECK(int_at(report, "/digest/signal") == 9);
  CHECK(text_at(report, "/digest/reason") == "OOMKilled");
  CHECK(text_at(report, "/digest/lastLines/0") == "killed");
}

TEST_CASE("a program's own exit code is not taken for a signal that does not exist") {
  CHECK(exit_words(139) == "exited 139 (SIGSEGV)");
  CHECK(exit_words(137, "OOMKilled") == "exited 137 (SIGKILL, OOMKilled)");
  CHECK(exit_words({}, "Evicted") == "failed (Evicted)");
  for (const int own : {0, 3, 128, 160, 255}) {
    CAPTURE(own);
    CHECK(exit_words(own, "Error") == cat("exited ", own));
    CHECK_FALSE(signal_of(own));
  }
}

TEST_CASE("a record of a log line survives quotes, bytes that are no UTF-8, and a lost end") {
  const Json whole = *parse_json(log_record(origin(2), line("say \"hi\" \xff")), "record");
  CHECK(text_at(whole, "/line") == "say \"hi\" \xEF\xBF\xBD");
  CHECK(text_at(whole, "/replica") == "worker-0");
  CHECK(int_at(whole, "/rank") == 1);
  CHECK(int_at(whole, "/attempt") == 2);
  CHECK(find(whole, "/partial") == nullptr);
  CHECK(true_at(*parse_json(log_record(origin(), line("cut", false)), "record"), "/partial"));
}

TEST_CASE("saved logs are the container's own bytes, a file for each attempt") {
  FakeLoop loop;
  std::map<std::string, std::string> saved;
  LogFiles files(
      loop,
      [&saved](const std::string& name, std::string_view bytes) {
        saved[name] += bytes;
        return Status{};
      },
      [](const Error&) { FAIL("nothing went wrong"); });
  files.add(origin(1), line("first \xff"));
  files.add(origin(2), line("second"));
  files.add(origin(2), line("no newline", false));
  files.flush();
  CHECK(saved["worker-0.attempt-1.log"] == "first \xff\n");
  CHECK(saved["worker-0.attempt-2.log"] == "second\nno newline");
}

TEST_CASE("a full disk is reported once, and what follows is not half saved") {
  FakeLoop loop;
  int writes = 0;
  int failures = 0;
  LogFiles files(
      loop,
      [&writes](const std::string&, std::string_view) {
        ++writes;
        return Status(Error{Code::error, "cannot write x: No space left on device"});
      },
      [&failures](const Error&) { ++failures; });
  for (int i = 0; i < 3; ++i) {
    files.add(origin(), line("text"));
    files.flush();
  }
  CHECK(writes == 1);
  CHECK(failures == 1);
}

TEST_CASE("JUnit stays well-formed whatever a program printed") {
  const std::string xml = junit_xml(failed_report({"<a> & \"b\" ]]>", "\x1b[31mred\x01\xff"}));
  CHECK(xml.find("&lt;a&gt; &amp; &quot;b&quot; ]]&gt;") != std::string::npos);
  CHECK(xml.find('\x1b') == std::string::npos);
  CHECK(xml.find('\x01') == std::string::npos);
  CHECK(is_utf8(xml));
  CHECK(xml.find(R"(tests="3" failures="2" errors="0" skipped="1" time="90")") !=
        std::string::npos);
}

TEST_CASE("a summary page cannot be broken by a table bar, a fence or a tag in the logs") {
  const std::string page = markdown_summary(failed_report({"a | b", "````", "</details>"}));
  CHECK(page.find("`````text\na | b\n````\n</details>\n`````\n") != std::string::npos);
  CHECK(page.find("| worker-0 | Failed | 137 (SIGKILL) | 0 | OOMKilled |") != std::string::npos);
}

TEST_CASE(
    "what a training program prints cannot drive the terminal, and a pipe gets its own bytes") {
  const std::string hostile = "loss \x1b[31mhigh\x1b[0m \x1b]0;owned\x07\x1b[2J";
  for (const bool terminal : {true, false}) {
    FakeLoop loop;
    BufferConsole console;
    console.out_is_tty = terminal;
    LogPrinter printer(console, loop, "/tmp", {[](const Error&) {}, [](const Error&) {}, [] {}});
    printer.print(origin(), line(hostile));
    printer.print(origin(), line("10%|#   \r100%|####\r"));
    printer.flush();
    if (terminal) {
      CHECK(console.stdout_text == "loss \x1b[31mhigh\x1b[0m ?]0;owned??[2J\n100%|####\n");
    } else {
      CHECK(console.stdout_text == hostile + "\n10%|#   \r100%|####\r\n");
    }
  }
}

}  // namespace
}  // namespace trainctl::job
