// The log of a container attempt on disk: its guard appends records and rotates the files.
#pragma once

#include <string>
#include <string_view>

#include "base/text/time.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

// Writes a program's output as a container runtime does: as CRI log records.
class RecordWriter {
 public:
  explicit RecordWriter(int fd) : fd_(fd) {}
  // Takes output that was read at `now`. Writes a record for each line, and one for each 16 KiB of
  // a longer line.
  void take(std::string_view bytes, Time now);
  // Writes the complete states of a line that is rewritten in place (a progress bar), so that a
  // follower sees them before the line ends. A container runtime does so each 16 KiB.
  void take_states(Time now);
  // The program has ended: writes the rest as a record without an end of line.
  void finish(Time now);
  // Writes the records taken; false when some could not be written yet (a full disk): try again.
  bool flush();
  // True when the last record ended a line, so that another file may begin here.
  bool is_between_lines() const { return between_lines_; }

 private:
  void add(std::string_view text, char tag, Time now);

  int fd_;
  std::string line_;     // a line whose end has not come yet
  std::string pending_;  // records to be written
  std::size_t written_ = 0;
  bool between_lines_ = true;
};

class RotatingLog {
 public:
  // Creates the first file. `order` must outlive this.
  explicit RotatingLog(const GuardOrder& order);

  void take(std::string_view output);
  // At most once a second, writes the complete states of a line that is rewritten in place.
  void take_states();
  // Tries again to write what a full disk held up.
  void flush();
  // False while a full disk holds up records: no more output should be read.
  bool is_flushed() const { return flushed_; }
  // The program has ended: writes the rest. False when the disk is full: call it again.
  bool finish();

 private:
  bool has_room() const;
  bool write();
  void turn_over();

  const GuardOrder& order_;
  int file_;
  int number_ = 0;
  RecordWriter records_;  // writes to file_, whichever file that is
  Time shown_{};          // when a line under way was last looked at
  bool flushed_ = true;
};

}  // namespace trainctl::local
