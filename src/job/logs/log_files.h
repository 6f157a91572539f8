// Saves logs to files, one per replica and attempt, in addition to printing them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/loop/loop.h"
#include "job/logs/log_printer.h"

namespace trainctl::job {

// Appends bytes to the file of this name in the directory that the user chose.
using SaveBytes = std::function<Status(const std::string& name, std::string_view bytes)>;

class LogFiles {
 public:
  // `on_failure` is called once; nothing is saved after it.
  LogFiles(Loop& loop, SaveBytes save, std::function<void(Error)> on_failure);

  // Appends the line, as the container wrote it, to "worker-1.attempt-2.log".
  void add(const LogOrigin& origin, const kube::LogLine& line);
  // Writes what is buffered now; otherwise that happens at the end of the loop's turn.
  void flush();

 private:
  void write(const std::string& name, std::string& bytes);

  Loop& loop_;
  SaveBytes save_;
  std::function<void(Error)> on_failure_;
  bool failed_ = false;
  std::map<std::string, std::string> waiting_;  // by file name
  HandlePtr flush_timer_;
};

}  // namespace trainctl::job
