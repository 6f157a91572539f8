// A container's log out of the chunks it arrives in: lines, pieces of long ones, and their stamps.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace trainctl::kube {

// Splits at newlines. Lines that lie inside a chunk are passed on without a copy.
class LogLines {
 public:
  // A line without its newline, or (complete = false) a piece of one that goes on: the first
  // 1 MiB, or what the stream ended with. Returning false stops the splitting for good.
  using Sink = std::function<bool(std::string_view text, bool complete)>;

  void feed(std::string_view chunk, const Sink& sink);
  // The end of the stream: tells a last line without newline.
  void finish(const Sink& sink);

 private:
  bool take(std::string_view text, const Sink& sink);
  void forget_rest();

  std::string rest_;  // the line under way
  bool stopped_ = false;
};

// "2026-11-21T09:31:58.920034043Z text" taken apart.
struct LogLine {
  std::optional<Time>
      stamp;  // absent: a line that began before the stream did, or a node's message
  std::string_view stamp_text;  // as the server wrote it, without the blank; "" when absent
  std::string_view text;        // without stamp and newline; raw bytes
  bool complete = true;  // false: the last bytes of the stream had no newline, or the line is
                         // longer than 1 MiB and goes on in the next LogLine
};

// RFC 3339 stamps as runtimes write them: any number of fraction digits, 'Z' or an offset. Keeps
// the second it saw last, since the lines of a fast log share it.
class StampReader {
 public:
  // Without a stamp in front, text is the whole line.
  LogLine read(std::string_view line);

 private:
  bool read_second(std::string_view line);

  char second_text_[19] = {};
  Time second_{};
};

// Where a stamp begins that an error message was glued in front of, as the kubelet does when it
// cannot watch the log file ("…too many open files2026-11-21T…"); npos when there is none.
std::size_t glued_stamp(std::string_view line);

}  // namespace trainctl::kube
