// Lines as they are printed: as text on a terminal and in a pipe, and as JSON.
#include "logs/log_printer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/value/json.h"
#include "logs/log_line.h"
#include "support/fakes.h"

namespace trainctl::job {
namespace log_printer_test {

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

TEST_CASE("output of a training program cannot drive the terminal, and a pipe gets its own bytes") {
  const std::string hostile = "loss \x1b[31mhigh\x1b[0m \x1b]0;owned\x07\x1b[2J";
  for (const bool terminal : {true, false}) {
    FakeLoop loop;
    BufferConsole console;
    console.out_is_tty = terminal;
    OutputFaults faults;
    LogPrinter printer(console, loop, "/tmp", faults);
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
  for (const bool terminal : {true, false}) {
    FakeLoop loop;
    BufferConsole console;
    console.out_is_tty = terminal;
    OutputFaults faults;
    LogPrinter printer(console, loop, "/tmp", faults);
    printer.print(origin(1), line("loss ", false));
    printer.print(origin(1), line("0.3", false));
    printer.print(origin(2), line("second start"));
    printer.flush();
    CHECK(console.stdout_text == "loss 0.3\nsecond start\n");
    console.stdout_text.clear();
    printer.options.prefix = true;
    printer.print(origin(2), line("a line that is never ended", false));
    printer.flush();
    CHECK(console.stdout_text == "[worker-0] a line that is never ended\n");
  }
}

TEST_CASE("reading pauses while a full disk holds nothing more for a slow reader, and goes on") {
  struct Holds : OutputFaults {
    std::vector<bool> all;
    void on_hold(bool hold) override { all.push_back(hold); }
  };
  FakeLoop loop;
  BufferConsole console;
  console.reader_takes = std::size_t{1} << 20U;
  Holds holds;
  LogPrinter printer(console, loop, "/nonexistent", holds);
  const std::string text(std::size_t{1} << 20U, 'x');
  for (int number = 0; number < 16; ++number) printer.print(origin(), line(text));
  printer.flush();
  loop.run_until([&holds] { return holds.all.size() == 2; });
  CHECK(holds.all == std::vector<bool>{true, false});
}

// Prints the lines through a filter, and returns what stdout got.
struct FilteredPrinter {
  FakeLoop loop;
  BufferConsole console;
  OutputFaults faults;
  LogPrinter printer{console, loop, "/tmp", faults};

  void add(std::vector<Pattern>& patterns, std::string_view text) {
    patterns.push_back(*Pattern::make(text));
  }
  std::string printed() {
    printer.flush();
    return std::exchange(console.stdout_text, "");
  }
};

TEST_CASE("a line is printed if a pattern includes it and none excludes it, in every format") {
  struct Row {
    std::string_view include, exclude, printed;
  };
  const Row rows[] = {{"", "", "loss=1\nDEBUG loss=2\nsaved\n"},
                      {"loss", "", "loss=1\nDEBUG loss=2\n"},
                      {"", "DEBUG", "loss=1\nsaved\n"},
                      {"loss|saved", "^D", "loss=1\nsaved\n"},
                      {"nothing", "", ""}};
  for (const Row& row : rows) {
    for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
      FilteredPrinter test;
      LineFilter& filter = test.printer.options.lines;
      test.printer.options.format = format;
      if (!row.include.empty()) test.add(filter.include, row.include);
      if (!row.exclude.empty()) test.add(filter.exclude, row.exclude);
      test.add(filter.highlight, "saved");  // hides nothing
      for (const auto* text : {"loss=1", "DEBUG loss=2", "saved"}) {
        test.printer.print(origin(), line(text));
      }
      const std::string printed = test.printed();
      CHECK(std::ranges::count(printed, '\n') == std::ranges::count(row.printed, '\n'));
      if (format == LogFormat::text) CHECK(printed == row.printed);
    }
  }
}

TEST_CASE("the first piece of a line decides whether its other pieces are printed") {
  FilteredPrinter test;
  test.add(test.printer.options.lines.include, "loss");
  test.printer.print(origin(1), line("loss=", false));
  test.printer.print(origin(2), line("another ", false));
  test.printer.print(origin(1), line("0.5", false));
  test.printer.print(origin(2), line("loss", false));
  test.printer.print(origin(1), line(" done"));
  test.printer.print(origin(2), line(" loss"));
  test.printer.print(origin(1), line("saved"));
  test.printer.print(origin(2), line("loss=1"));
  CHECK(test.printed() == "loss=0.5 done\nloss=1\n");
}

TEST_CASE("matches are highlighted on a terminal with colour, and nowhere else") {
  const std::string text = "\x1b[32mloss=31\x1b[0m ok";
  for (const bool terminal : {true, false}) {
    for (const bool colour : {true, false}) {
      FilteredPrinter test;
      test.console.out_is_tty = terminal;
      test.console.colour = colour;
      test.add(test.printer.options.lines.highlight, "3[0-9]");
      test.add(test.printer.options.lines.highlight, "1 o");
      test.printer.print(origin(), line(text));
      const bool shows = terminal && colour;
      CHECK(test.printed() ==
            (shows ? "\x1b[32mloss=\x1b[7m31\x1b[0m\x1b[7m o\x1b[27mk\n" : text + "\n"));
    }
  }
}

}  // namespace log_printer_test
}  // namespace trainctl::job
