// Tables: columns that line up and rows that stay rows.
#include "base/text/table.h"

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace table_test {

using namespace trainctl;

TEST_CASE("columns line up as kubectl's do, without blanks at the line's end") {
  testing::BufferConsole console;
  Table table({"NAME", "STATE", "AGE"});
  table.add({{"ddp"}, {"Running"}, {"5m"}});
  table.add({{"a-long-name"}, {""}, {"12d"}});
  CHECK(table.text(console) ==
        "NAME          STATE     AGE\n"
        "ddp           Running   5m\n"
        "a-long-name   -         12d\n");
  CHECK(table.text(console, false) ==
        "ddp           Running   5m\n"
        "a-long-name   -         12d\n");
}

TEST_CASE("colour does not shift the columns") {
  testing::BufferConsole console;
  Table table({"STATE", "AGE"});
  table.add({{"Failed", Colour::red}, {"5m"}});
  CHECK(table.text(console) == "STATE    AGE\nFailed   5m\n");
  console.colour = true;
  CHECK(table.text(console) == "STATE    AGE\n\x1b[31mFailed\x1b[0m   5m\n");
}

TEST_CASE("a wide name does not shift the columns") {
  testing::BufferConsole console;
  Table table({"NAME", "X"});
  table.add({{"\xE8\xAE\xAD\xE7\xBB\x83"}, {"1"}});
  CHECK(table.text(console) == "NAME   X\n\xE8\xAE\xAD\xE7\xBB\x83   1\n");
}

TEST_CASE("a message with newlines and escapes stays in its cell") {
  testing::BufferConsole console;
  Table table({"A", "B"});
  table.add({{"x\ny\x1b[2J"}, {"z"}});
  CHECK(table.text(console) == "A         B\nx y?[2J   z\n");
}

TEST_CASE("a terminal that is too narrow loses the columns that may go, and no part of a word") {
  testing::BufferConsole console;
  console.out_is_tty = true;
  console.width = 24;
  Table table({"NAME", "KIND", "PLACE", "VERDICT"});
  table.add({{"mnist"}, {"PyTorchJob"}, {"lab"}, {"succeeded"}});
  table.fit(console);
  table.may_drop({"KIND", "PLACE"});
  CHECK(table.text(console) ==
        "NAME   PLACE  VERDICT\n"
        "mnist  lab    succeeded\n");
  console.width = 20;
  table.fit(console);
  CHECK(table.text(console) ==
        "NAME    VERDICT\n"
        "mnist   succeeded\n");
}

TEST_CASE("a column in which nothing stands goes before those that say something") {
  testing::BufferConsole console;
  console.out_is_tty = true;
  console.width = 24;
  Table table({"NAME", "PROGRESS", "GPU", "METRIC"});
  table.add({{"mnist"}, {"3/8"}, {""}, {"0.5"}});
  table.fit(console);
  table.may_drop({"PROGRESS", "GPU"});
  CHECK(table.text(console) ==
        "NAME   PROGRESS  METRIC\n"
        "mnist  3/8       0.5\n");
}

// On a terminal of 24 columns, where VALUES may go only if most rows leave it empty.
std::string with_values(const std::vector<std::vector<Cell>>& rows) {
  testing::BufferConsole console;
  console.out_is_tty = true;
  console.width = 24;
  Table table({"NAME", "VALUES", "GPU", "METRIC"});
  for (const std::vector<Cell>& row : rows) table.add(row);
  table.fit(console);
  table.may_drop({"GPU"}, {"VALUES"});
  return table.text(console);
}

TEST_CASE("a column that most rows leave empty goes before those that say something") {
  CHECK(with_values({{{"lr-0"}, {"lr=1e-3"}, {"8"}, {"0.5"}},
                     {{"mnist"}, {""}, {"1"}, {"0.4"}},
                     {{"ddp"}, {"-"}, {"2"}, {"0.3"}}}) ==
        "NAME    GPU   METRIC\n"
        "lr-0    8     0.5\n"
        "mnist   1     0.4\n"
        "ddp     2     0.3\n");
}

TEST_CASE("a column that may go only where it is sparse stays where most rows have it") {
  CHECK(with_values({{{"lr-0"}, {"lr=1e-3"}, {"8"}, {"0.5"}}, {{"mnist"}, {""}, {"1"}, {"0.4"}}}) ==
        "NAME    VALUES    METRIC\n"
        "lr-0    lr=1e-3   0.5\n"
        "mnist   -         0.4\n");
}

TEST_CASE("no row is wider than the terminal, however long its names are") {
  testing::BufferConsole console;
  console.out_is_tty = true;
  console.width = 40;
  Table table({"NAME", "STATE", "MESSAGE"});
  table.add({{"a-name-that-is-longer-than-the-terminal-is-wide"}, {"Failed"}, {"out of memory"}});
  table.fit(console);
  CHECK(table.text(console) ==
        "NAME                STATE   MESSAGE\n"
        "a-name-that-is-lo\u2026  Failed  out of memo\u2026\n");
}

TEST_CASE("a long message continues at words below its column") {
  testing::BufferConsole console;
  console.out_is_tty = true;
  console.width = 40;
  Table table({"OBJECT", "MESSAGE"});
  table.add({{"job"}, {"Container image is already present on machine"}});
  table.wrap(console);
  CHECK(table.text(console) ==
        "OBJECT  MESSAGE\n"
        "job     Container image is already\n"
        "        present on machine\n");
}

}  // namespace table_test
