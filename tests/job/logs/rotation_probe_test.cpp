// What a user would lose without a word when a node reads more slowly than a container writes.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_cluster.h"
#include "support/tail_reading.h"

namespace trainctl::job {
namespace TEST_FILE {

using namespace trainctl::testing;
using std::chrono::seconds;

// A stream whose first part is busy enough to make the begin of the current file worth asking for;
// the second part comes later.
Exchange busy_stream(std::string_view then) {
  Exchange exchange = log_answer(line(1, std::string(300'000, 'x')) + line(2, "in the first file"),
                                 "", seconds(1), {{"follow", "true"}});
  exchange.chunks.push_back({seconds(1), std::string(then)});
  return exchange;
}

Exchange begin_of_file(std::string data) {
  return log_answer(std::move(data), "", {}, {{"limitBytes", "32768"}});
}

Reading follow_busy(Exchange begin, std::string_view then) {
  FakeCluster cluster({busy_stream(then), std::move(begin), rest_answer(line(30, "end"))});
  return follow(cluster, 1);
}

TEST_CASE("P23 a file that the node's reader leapt over is reported as a gap") {
  const Reading reading = follow_busy(begin_of_file(line(10, "first") + line(11, "second")),
                                      line(20, "in the third file") + line(30, "end"));
  CHECK(reading.lines.size() == 4);
  CHECK(reading.notices ==
        Lines{"possible gap in the log of ddp-master-0 between 2026-01-02T03:04:07Z and "
              "2026-01-02T03:04:25Z: the node has rotated it"});
}

TEST_CASE("a file that the node's reader comes to is no gap") {
  const Reading reading =
      follow_busy(begin_of_file(line(10, "first") + line(11, "second")),
                  line(10, "first") + line(11.5, "stdout") + line(11, "second") + line(30, "end"));
  CHECK(reading.notices.empty());
}

TEST_CASE("a log that ends right behind a leap does not hide it") {
  const Reading reading =
      follow_busy(begin_of_file(line(28, "first") + line(29.5, "second")), line(30, "end"));
  CHECK(reading.notices.size() == 1);
}

TEST_CASE("a file that begins within a split line is recognised by its next one") {
  const Reading reading =
      follow_busy(begin_of_file(line(10, "rest of a split line") + line(11, "second")),
                  line(9, "a split line, and its rest") + line(11, "second") + line(30, "end"));
  CHECK(reading.notices.empty());
}

TEST_CASE("of the file that is being read already nothing is expected") {
  const Reading reading = follow_busy(
      begin_of_file(line(0.5, "older than all read") + line(1, "older")), line(30, "end"));
  CHECK(reading.notices.empty());
}

TEST_CASE("a refused question about the current file disturbs nobody") {
  Exchange refused = begin_of_file(R"({"kind":"Status","code":403,"message":"no"})");
  refused.status = 403;
  const Reading reading = follow_busy(std::move(refused), line(30, "end"));
  CHECK(reading.notices.empty());
  CHECK(reading.lines.back() == "end");
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
