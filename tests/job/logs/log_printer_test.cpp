// Lines as they are printed: as text on a terminal and in a pipe, and as JSON.
#include "job/logs/log_printer.h"

#include <doctest/doctest.h>

#include "base/value/json.h"
#include "job/logs/log_line.h"
#include "support/fakes.h"

namespace trainctl::job {
namespace TEST_FILE {

using namespace trainctl::testing;

TEST_CASE("a record of a log line survives quotes, bytes that are no UTF-8, and a lost end") {
  const Json whole = *parse_json(log_record(origin(2), line("say \"hi\" \xff")), "record");
  CHECK(text_at(whole, "/line") == "say \"hi\" \xEF\xBF\xBD");
  CHECK(text_at(whole, "/replica") == "worker-0");
  CHECK(int_at(whole, "/rank") == 1);
  CHECK(int_at(whole, "/attempt") == 2);
  CHECK(find(whole, "/partial") == nullptr);
  CHECK(true_at(*parse_json(log_record(origin(), line("cut", false)), "record"), "/partial"));
  CHECK(find(whole, "/job") == nullptr);
  CHECK(text_at(*parse_json(log_record(origin(), line("x"), "ddp"), "record"), "/job") == "ddp");
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

TEST_CASE("14: the first line of a new attempt does not continue what a killed one left unended") {
  FakeLoop loop;
  BufferConsole console;
  LogPrinter printer(console, loop, "/tmp", {[](const Error&) {}, [](const Error&) {}, [] {}});
  printer.print(origin(1), line("loss ", false));
  printer.print(origin(1), line("0.3", false));
  printer.print(origin(2), line("second start"));
  printer.flush();
  CHECK(console.stdout_text == "loss 0.3\nsecond start\n");
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
