// Tables: columns that line up and rows that stay rows.
#include "base/text/table.h"

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace TEST_FILE {

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

}  // namespace TEST_FILE
