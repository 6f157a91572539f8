// Output that moves the cursor up is kept as a terminal would show it.
#include "base/text/rewritten_rows.h"

#include <doctest/doctest.h>

namespace trainctl::rewritten_rows_test {

using Rows = std::vector<std::string>;

// All rows that are printed of these lines, in order.
Rows shown(const Rows& lines) {
  RewrittenRows screen;
  Rows all;
  for (const std::string& line : lines) {
    for (std::string& row : screen.take(line)) all.push_back(std::move(row));
  }
  for (std::string& row : screen.rest()) all.push_back(std::move(row));
  return all;
}

TEST_CASE("nested bars leave the rows that a terminal shows, not one for each update") {
  CHECK(shown({"\repochs: 0", "\r batch: 0\x1b[A\repochs: 1", "\r batch: 1\x1b[A\repochs: 2",
               "\r batch: 2\x1b[A\repochs: 3", "\r        \x1b[A\repochs: done", "saved"}) ==
        Rows{"epochs: 0", "epochs: done", "saved"});
}

TEST_CASE("a line that the program prints between its bars is not lost") {
  CHECK(shown({"\r a: 1\x1b[A",
               "\r      \r\x1b[A"
               "error: no space left",
               "bye"}) == Rows{"error: no space left", "bye"});
}

TEST_CASE("rows of several bars are rewritten in their places") {
  CHECK(shown({"one 1", "two 1", "\x1b[2A\rone 2", "\rtwo 2", "end"}).back() == "end");
  CHECK(shown({"\x1b[2K\rone 1\x1b[1A\r\x1b[2K"
               "zero 1",
               "x", "\x1b[7mraw\x1b[0m"}) == Rows{"zero 1", "x", "\x1b[7mraw\x1b[0m"});
}

TEST_CASE("ordinary lines are printed at once and as they are") {
  RewrittenRows screen;
  CHECK(screen.take("loss 1") == Rows{"loss 1"});
  CHECK(screen.take(" 10%\r 20%\r") == Rows{" 20%"});
  CHECK(screen.take("") == Rows{""});
  CHECK(screen.empty());
}

TEST_CASE("a program that never leaves its bars takes no more than a hundred rows") {
  RewrittenRows screen;
  std::size_t printed = 0;
  for (int i = 0; i < 1000; ++i) printed += screen.take("\x1b[5Bx\x1b[A").size();
  CHECK(printed > 0);
  // Neither does one that only moves its cursor down.
  std::string far_down = "\x1b[A";
  for (int i = 0; i < 4000; ++i) far_down += "\x1b[99B";
  for (int i = 0; i < 10; ++i) CHECK(screen.take(far_down).size() <= 100);
  CHECK(screen.take(far_down + "x").size() <= 100);
  CHECK(screen.empty());
}

}  // namespace trainctl::rewritten_rows_test
