// A container's log as the log endpoint shows it: CRI records become the program's own bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "local/kubelet/log_watcher.h"
#include "local/pod_logs.h"

namespace trainctl::local {

// Turns records into text as the kubelet does: pieces of a long line are joined and only the first
// is stamped; limitBytes counts stamps and cuts anywhere.
class LogText {
 public:
  explicit LogText(const LogQuestion& question);
  // Takes bytes of the log file, in any pieces, and appends to `text`.
  void take(std::string_view bytes, std::string& text);
  // limitBytes is reached.
  bool is_full() const { return limited_ && left_ == 0; }

 private:
  void take_record(std::string_view record, std::string& text);

  bool timestamps_;
  std::string since_;  // as records are stamped; "" = everything
  bool limited_;
  std::size_t left_ = 0;
  bool at_line_start_ = true;
  std::string begun_;  // a record whose end has not come yet
};

// The answer's body; `directory` is the attempt's. A followed log ends when the attempt has ended
// and everything was read, and where a file was removed before it was read: who asks again then
// learns of the gap.
std::unique_ptr<ApiStream> open_log(LogWatcher& watcher, const std::string& directory,
                                    const LogQuestion& question);

}  // namespace trainctl::local
