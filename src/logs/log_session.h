// Passes log lines on to stdout and to files, and pauses the reading of logs while too many lines
// wait for the reader of stdout.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/console/console.h"
#include "base/loop/loop.h"
#include "logs/archive_writer.h"
#include "logs/log_printer.h"

namespace trainctl::job {

// Appends bytes to the file of this name in the directory that the user chose.
using SaveBytes = std::function<Status(const std::string& name, std::string_view bytes)>;

// Saves logs to files, one per replica and attempt, in addition to printing them.
class LogFiles {
 public:
  LogFiles(Loop& loop, SaveBytes save, OutputWatcher& watcher)
      : loop_(loop), save_(std::move(save)), watcher_(watcher) {}

  // Appends the line, as the container wrote it, to "worker-1.attempt-2.log".
  void add(const LogOrigin& origin, const kube::LogLine& line);
  // Writes what is buffered now; otherwise that happens at the end of the loop's turn.
  void flush();

 private:
  void write(const std::string& name, std::string& bytes);

  Loop& loop_;
  SaveBytes save_;
  OutputWatcher& watcher_;
  bool failed_ = false;
  std::map<std::string, std::string> waiting_;  // by file name
  HandlePtr flush_timer_;
};

struct LogPlaces {
  // Holds lines that a slow reader of stdout has not accepted yet.
  std::string spool_directory = "/tmp";
  SaveBytes save;    // unset = nowhere
  ArchiveFile kept;  // for the history: the printed lines, or all that are read
  bool keeps_all = false;
};

class LogSession {
 public:
  LogSession(Console& console, Loop& loop, LogPlaces places, OutputWatcher& watcher);

  void set_format(PrintOptions options) { printer_.options = options; }
  // Watches stdout, so that a closed pipe is reported at once, not only at the next line.
  void watch_reader() { printer_.watch_reader(); }

  // Saves the line, and prints it if its origin says so.
  void take(const LogOrigin& origin, const kube::LogLine& line) {
    if (saves_) files_.add(origin, line);
    if (origin.printed || keeps_all_) kept_.add(origin, line);
    if (!origin.printed) return;
    printer_.print(origin, line);
  }
  void print(const LogOrigin& origin, const kube::LogLine& line) { printer_.print(origin, line); }
  // For the history alone.
  void keep(const LogOrigin& origin, const kube::LogLine& line) { kept_.add(origin, line); }

  // False when stdout can no longer be written and no files are.
  bool takes_lines() const { return saves_ || !printer_.failed(); }

  // Writes what is buffered, as far as it is accepted.
  void flush();
  // True when the reader of stdout has received everything, or has gone away.
  bool drained() const { return printer_.drained(); }
  // Runs the loop until the reader of stdout has received everything or has gone away, or until
  // is_given_up(); prints a notice when it takes long. Only for top-level code.
  void drain(const std::function<bool()>& is_given_up);
  // The amount that the reader of stdout has not accepted yet: "12.3 KiB".
  std::string left() const;

 private:
  Console& console_;
  Loop& loop_;
  bool saves_;
  bool keeps_all_;
  LogPrinter printer_;
  LogFiles files_;
  ArchiveWriter kept_;
};

}  // namespace trainctl::job
