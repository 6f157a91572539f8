// Prints log lines to stdout: whole lines, with a prefix per replica, in few large writes. When the
// reader of stdout is slower than the logs, lines wait in a spool and sockets are still read,
// because the kubelet rotates away what is not read.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/console/console.h"
#include "base/file/spool.h"
#include "base/loop/loop.h"
#include "base/text/rewritten_rows.h"
#include "logs/line_filter.h"
#include "logs/log_sink.h"
#include "manifest/kind/replica.h"

namespace trainctl::job {

enum class LogFormat { text, json };

struct PrintOptions {
  bool prefix = false;      // "[worker-1] " before each line
  bool timestamps = false;  // the server's stamp before each line
  LogFormat format = LogFormat::text;
  LineFilter lines = {};
  std::string job;  // the prefix is "[JOB/worker-1] ", and records have a "job"; "" = of one job
};

// "[worker-0] ", coloured where stdout has colours. `number`, the name's place in the order of
// appearance, chooses the colour.
std::string line_prefix(const Console& console, std::string_view name, std::size_t number);

// Formats one log line as one line of JSON:
// {"time","job","replica","rank","container","attempt","line"}. "job" is omitted when it is "", and
// "rank" for replicas without one; "partial" is true when the line continues in the next
// record or its end was lost. Invalid UTF-8 becomes U+FFFD.
std::string log_record(const LogOrigin& origin, const kube::LogLine& line,
                       const std::string& job = "");

// Hears what becomes of the lines that are printed and saved.
class OutputWatcher {
 public:
  virtual ~OutputWatcher() = default;

  // Called once: nothing can be written to stdout any more.
  virtual void on_output_lost(Error) = 0;
  // Called once: nothing is saved from here on.
  virtual void on_unsaved(Error) = 0;
  // Reports that there is no room for more lines that wait for the reader of stdout (true), or that
  // there is again. Never called while a line is taken.
  virtual void on_hold(bool hold) = 0;
};

class LogPrinter {
 public:
  // `spool_directory` holds waiting lines that do not fit into memory.
  LogPrinter(Console& console, Loop& loop, std::string spool_directory, OutputWatcher& watcher);

  PrintOptions options;

  // Watches stdout, so that a closed pipe is reported at once, not only at the next line.
  void watch_reader();
  // Prints the line if the user's filter lets it pass. The first piece of a line decides for all.
  void print(const LogOrigin& origin, const kube::LogLine& line);
  // Prints the rows that wait for being rewritten, since no more lines are awaited.
  void finish_rows();
  // Writes what is buffered, as far as the reader accepts it. Otherwise that happens at the end of
  // the loop's turn, or a moment later after a very recent write.
  void flush();
  // True after on_output_lost.
  bool failed() const { return failed_; }
  // True when the reader has received everything, or has gone away.
  bool drained() const { return failed_ || (buffer_.empty() && spool_.empty()); }
  // Bytes that the reader has not accepted yet.
  std::uint64_t waiting() const { return spool_.size(); }

 private:
  struct BegunLine {
    LogOrigin origin;
    bool passes;
  };

  // The rows of a run that a terminal would still rewrite.
  struct Screen {
    LogOrigin origin;
    std::string stamp;  // of its last line
    RewrittenRows rows;
  };

  struct Awaited {
    HandlePtr flush, writable, reader_gone, hold;
  };

  bool passes(const LogOrigin& origin, const kube::LogLine& line);
  void pump();
  void hold_back(const Error& why);
  void fail(Error error);
  void print_text(const LogOrigin& origin, const kube::LogLine& line);
  void print_on_terminal(const LogOrigin& origin, const kube::LogLine& line);
  void print_rows(const Screen& screen, const std::vector<std::string>& rows);
  void begin_line(const ReplicaId& replica, std::string_view stamp);
  const std::string& prefix_of(const ReplicaId& replica);

  Console& console_;
  Loop& loop_;
  OutputWatcher& watcher_;
  std::string buffer_;
  Spool spool_;
  bool failed_ = false;
  std::optional<LogOrigin> open_line_;  // whose last piece had no newline
  std::vector<BegunLine> begun_lines_;  // of which more pieces may come; kept only for a filter
  Awaited awaited_;
  Time last_flush_{};
  std::map<ReplicaId, std::string> prefixes_;
  std::map<ReplicaId, Screen> screens_;
};

}  // namespace trainctl::job
