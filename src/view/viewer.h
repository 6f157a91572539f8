// The reader for whom a job is described, when, and the advice to them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/text/time.h"
#include "status/state.h"

namespace trainctl::view {

struct Viewer {
  const Console& console;  // its width, its height, and whether a person reads it
  Time now;
  // The embedded cluster: images are ignored, and the image in the manifest is mostly the
  // template's.
  bool on_this_machine = false;
  // Completes the commands of a hint, so that they can be typed as they are.
  std::function<std::string(const std::string& hint)> runnable;
};

// The remedies for all problems, each once.
std::vector<std::string> remedies(const job::JobState& state);

}  // namespace trainctl::view
