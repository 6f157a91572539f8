// Log lines to stdout: whole lines, one prefix per replica, written in few large pieces.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/console.h"
#include "base/loop.h"
#include "job/replica.h"
#include "kube/log_stream.h"

namespace trainctl::job {

// Whose line it is.
struct LogOrigin {
  ReplicaId replica;
  std::optional<int> rank;
  std::string container;
  int attempt = 1;      // 1 = the first run of the replica's container, over all its pods
  bool printed = true;  // false: read only to be saved
};

enum class LogFormat { text, json };

struct PrintOptions {
  bool prefix = false;      // "[worker-1] " before each line
  bool timestamps = false;  // the server's stamp before each line
  LogFormat format = LogFormat::text;
};

// {"time","replica","rank","container","attempt","line"}: one log line as one line of JSON. "rank"
// is left out where there is none; "partial" is true when the line goes on in the next record or
// its end was lost. Bytes that are no UTF-8 become U+FFFD.
std::string log_record(const LogOrigin& origin, const kube::LogLine& line);

class LogPrinter {
 public:
  // `on_failure` is called once when stdout cannot be written any more.
  LogPrinter(Console& console, Loop& loop, std::function<void(Error)> on_failure);

  PrintOptions options;

  void print(const LogOrigin& origin, const kube::LogLine& line);
  // Writes what is buffered; without it that happens at the end of the loop's turn.
  void flush();

 private:
  void print_text(const ReplicaId& replica, const kube::LogLine& line);
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
