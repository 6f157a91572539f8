// Where log lines go once they are read: to stdout, to files, and what it means for the reading
// when nobody takes them.
#pragma once

#include <functional>
#include <string>

#include "base/console.h"
#include "base/loop.h"
#include "job/logs/log_files.h"
#include "job/logs/log_printer.h"

namespace trainctl::job {

struct LogPlaces {
  std::string spool_directory = "/tmp";  // for lines that a slow reader of stdout has not taken yet
  SaveBytes save;                        // unset = nowhere
};

struct LogSessionHandlers {
  std::function<void(Error)> on_lost;     // once: nothing can be written to stdout any more
  std::function<void(Error)> on_unsaved;  // once: nothing is saved from here on
  // Lines wait for the reader of stdout and there is no room for more (true), or there is again.
  // Never called while take() runs.
  std::function<void(bool hold)> on_hold;
};

class LogSession {
 public:
  LogSession(Console& console, Loop& loop, LogPlaces places, LogSessionHandlers handlers);

  void set_format(PrintOptions options) { printer_.options = options; }
  // From here on a reader of stdout who goes is reported at once, not only at the next line.
  void watch_reader() { printer_.watch_reader(); }

  // Saves the line, and prints it where its origin says so.
  void take(const LogOrigin& origin, const kube::LogLine& line);
  void print(const LogOrigin& origin, const kube::LogLine& line) { printer_.print(origin, line); }

  // Writes what is buffered as far as it is taken.
  void flush();
  // True when the reader of stdout has everything, or is gone.
  bool drained() const { return printer_.drained(); }
  // Runs the loop until the reader of stdout has everything or is gone, or nobody waits for that
  // any more; says so when it takes long. Top-level code.
  void drain(const std::function<bool()>& is_given_up);
  // What the reader of stdout has not taken yet: "12 KiB".
  std::string left() const;

 private:
  void hold_back(const Error& why);
  void go_on();

  Console& console_;
  Loop& loop_;
  LogSessionHandlers handlers_;
  bool saves_;
  HandlePtr hold_timer_;
  LogPrinter printer_;
  LogFiles files_;
};

}  // namespace trainctl::job
