// Decides whether the end of an answer is the end of the log: a clean end alone proves nothing.
#pragma once

namespace trainctl::job {

// An API server that loses a node ends an answer cleanly, as it would at the log's end. A log is
// therefore complete only when two answers in a row, requested after the container's end, end after
// the same line.
class EndEvidence {
 public:
  enum class Next {
    read_on,     // the container may still write
    confirm,     // it ended after the newest line: one more such answer confirms the end
    look_again,  // it ended before the newest line, which may still come
    whole,
    lost,  // the newest line no longer comes, so what followed it cannot be known
  };
  // Facts about an answer that ended cleanly.
  struct Answer {
    // It ended with the newest line seen, without an error message of the node.
    bool behind_newest = false;
    bool drains = false;    // requested after the container's end
    bool suffices = false;  // its end needs no confirmation
  };

  // A new line arrived, so earlier evidence of an end is void.
  void new_line() {
    last_ = Last::none;
    looks_ = 0;
  }
  Next ended(const Answer& answer);
  // True when the log looked complete when it was last read; a request that fails now does not
  // change that.
  bool is_whole() const { return drained_ && last_ == Last::behind_newest; }

 private:
  enum class Last { none, before_newest, behind_newest };

  Last last_ = Last::none;  // where the latest answer since the newest line ended
  bool drained_ = false;    // was read to an apparent end after the container's end
  int looks_ = 0;           // answers that ended before the newest line
};

}  // namespace trainctl::job
