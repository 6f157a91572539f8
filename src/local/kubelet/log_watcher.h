// Tells when something changes in a directory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/loop.h"

namespace trainctl::local {

// One inotify instance for all; where the system gives none, directories are looked at five times a
// second.
class LogWatcher {
 public:
  explicit LogWatcher(UvLoop& loop);
  ~LogWatcher();
  // Calls back at each change (or now and then) until the handle is destroyed.
  [[nodiscard]] HandlePtr watch(const std::string& directory, std::function<void()> changed);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace trainctl::local
