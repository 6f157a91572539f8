// Log lines to stdout: whole lines, one prefix per replica, written in few large pieces. A reader
// that is slower than the logs makes them wait in a spool, never the sockets: the kubelet rotates
// away what is not read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/console.h"
#include "base/loop.h"
#include "base/spool.h"
#include "job/kind/replica.h"
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

struct PrinterHandlers {
  std::function<void(Error)> on_failure;  // once, when stdout cannot be written any more
  // There is no room for more waiting lines (with the reason), or there is again.
  std::function<void(Error)> on_full;
  std::function<void()> on_room;
};

class LogPrinter {
 public:
  // `spool_directory` is for lines that wait and do not fit into memory.
  LogPrinter(Console& console, Loop& loop, std::string spool_directory, PrinterHandlers handlers);

  PrintOptions options;

  // From here on a reader who goes is on_failure at once, not only at the next line.
  void watch_reader();
  void print(const LogOrigin& origin, const kube::LogLine& line);
  // Writes what is buffered as far as the reader takes it; without it that happens at the end of
  // the loop's turn, or a moment later when the last time was just now.
  void flush();
  // True when the reader has everything, or is gone.
  bool drained() const { return failed_ || (buffer_.empty() && spool_.empty()); }
  // False from on_full until on_room.
  bool has_room() const { return spool_.has_room(); }
  // Bytes the reader has not taken yet.
  std::uint64_t waiting() const { return spool_.size(); }

 private:
  void pump();
  void fail(Error error);
  void print_text(const ReplicaId& replica, const kube::LogLine& line);
  const std::string& prefix_of(const ReplicaId& replica);

  Console& console_;
  Loop& loop_;
  PrinterHandlers handlers_;
  std::string buffer_;
  Spool spool_;
  bool failed_ = false;
  bool line_open_ = false;  // the last piece written had no newline
  HandlePtr flush_timer_, writable_, reader_;
  Time last_flush_{};
  std::map<ReplicaId, std::string> prefixes_;
};

}  // namespace trainctl::job
