// Writes a program's output as a container runtime writes it: CRI log records.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace trainctl::local {

class RecordWriter {
 public:
  explicit RecordWriter(int fd) : fd_(fd) {}
  // Takes output that was read at `now`. A record is written for each line, and for each 16 KiB of
  // a longer one.
  void take(std::string_view bytes, Time now);
  // The program has ended: what is left is a record without an end of line.
  void finish(Time now);
  // Writes what was taken; false when some of it is still to be written (a full disk): try again.
  bool flush();
  // The last record ended a line: another file may begin here.
  bool is_between_lines() const { return between_lines_; }

 private:
  void add(std::string_view text, char tag, Time now);

  int fd_;
  std::string line_;     // begun, without its end
  std::string pending_;  // records that are to be written
  std::size_t written_ = 0;
  bool between_lines_ = true;
};

}  // namespace trainctl::local
