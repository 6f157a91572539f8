// The log of a container attempt on disk: its guard appends records and rotates the files.
#pragma once

#include <string_view>

#include "base/text/time.h"
#include "local/kubelet/guard.h"
#include "local/kubelet/guard_log.h"

namespace trainctl::local {

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
