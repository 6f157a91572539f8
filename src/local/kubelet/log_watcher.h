// Reports changes in directories.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/loop/loop.h"

namespace trainctl::local {

// Uses one inotify instance for all directories; where the system provides none, checks them five
// times a second.
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

}  // namespace trainctl::local
