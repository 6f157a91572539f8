// Log lines to stdout: whole lines, one prefix per replica, written in few large pieces.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/console.h"
#include "base/loop.h"
#include "job/replica.h"
#include "kube/log_stream.h"

namespace trainctl::job {

struct PrintOptions {
  bool prefix = false;      // "[worker-1] " before each line
  bool timestamps = false;  // the server's stamp before each line
};

class LogPrinter {
 public:
  // `on_failure` is called once when stdout cannot be written any more.
  LogPrinter(Console& console, Loop& loop, std::function<void(Error)> on_failure);

  PrintOptions options;

  void print(const ReplicaId& replica, const kube::LogLine& line);
  // Writes what is buffered; without it that happens at the end of the loop's turn.
  void flush();

 private:
  const std::string& prefix_of(const ReplicaId& replica);

  Console& console_;
  Loop& loop_;
  std::function<void(Error)> on_failure_;
  std::string buffer_;
  bool failed_ = false;
  bool line_open_ = false;  // the last piece written had no newline
  HandlePtr flush_timer_;
  std::map<std::string, std::string> prefixes_;
};

}  // namespace trainctl::job
