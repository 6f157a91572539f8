// A container's log as the log endpoint shows it: CRI records become the program's own bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/loop/loop.h"
#include "local/pod_requests.h"

namespace trainctl::local {

// Reports changes in directories. Uses one inotify instance for all directories; where the system
// provides none, checks them five times a second.
class LogWatcher {
 public:
  explicit LogWatcher(UvLoop& loop);
  ~LogWatcher();
  // Calls back at each change (or periodically) until the handle is destroyed.
  [[nodiscard]] HandlePtr watch(const std::string& directory, std::function<void()> changed);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Turns records into text as the kubelet does: pieces of a long line are joined and only the first
// is stamped; limitBytes counts stamps and cuts anywhere, even within a line.
class LogText {
 public:
  explicit LogText(const LogQuestion& question);
  // Takes bytes of the log file, in arbitrary pieces, and appends to `text`.
  void take(std::string_view bytes, std::string& text);
  // True when limitBytes is reached.
  bool is_full() const { return limited_ && left_ == 0; }

 private:
  void take_record(std::string_view record, std::string& text);

  bool timestamps_;
  std::string since_;  // in the format of the records' stamps; "" = everything
  bool limited_;
  std::size_t left_ = 0;
  bool at_line_start_ = true;
  std::string begun_;  // an incomplete record
};

// The answer's body, read from an attempt's `directory`. A followed log ends when the attempt has
// ended and everything was read. It also ends where a file was removed before it was read, so that
// a client that requests it again notices the gap.
std::unique_ptr<ApiStream> open_log(LogWatcher& watcher, const std::string& directory,
                                    const LogQuestion& question);

}  // namespace trainctl::local
