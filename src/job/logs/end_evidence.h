// Whether the end of an answer is the end of the log: a clean end alone proves nothing.
#pragma once

namespace trainctl::job {

// The kubelet may have died, and an API server that loses the node ends an answer cleanly. A log is
// whole when two answers in a row, asked for after the container's end, end behind the same line.
class EndEvidence {
 public:
  enum class Next {
    read_on,     // the container may still write
    confirm,     // it ended behind the newest line: once more will do
    look_again,  // it ended before that line, which may come yet
    whole,
    lost,  // the newest line does not come any more: nobody can say what came after it
  };
  // Of an answer that ended cleanly.
  struct Answer {
    bool behind_newest = false;  // it brought the newest line seen, and nothing of the node's after
    bool drains = false;         // asked for after the container's end
    bool suffices = false;       // nobody wants it confirmed
  };

  // A line not seen before: what was known of the end is no more.
  void new_line() {
    last_ = Last::none;
    looks_ = 0;
  }
  Next ended(const Answer& answer);
  // As far as anybody could see; a request that fails now takes nothing away.
  bool is_whole() const { return drained_ && last_ == Last::behind_newest; }

 private:
  enum class Last { none, before_newest, behind_newest };

  Last last_ = Last::none;  // the end of the latest answer since the newest line
  bool drained_ = false;    // after the container's end it was read to what was the end once
  int looks_ = 0;           // that ended before the newest line
};

}  // namespace trainctl::job
