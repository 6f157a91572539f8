// The line at the bottom of a terminal that says which state a job is in, since when and why.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/console/console.h"
#include "base/loop/loop.h"
#include "job/status/state.h"

namespace trainctl::job {

// "ddp: Pending for 40s: worker-1: ImagePullBackOff: …", "ddp: Running for 12m, 2/2 replicas".
// `began` is used when the state does not say since when.
std::string status_line(std::string_view job_name, const JobState& state, Time began, Time now);

// Shows what `text` says, at every update() and every second, as long as it lives; it shows nothing
// where the console has no place for it. An action shorter than a second shows no line.
class StatusLine {
 public:
  StatusLine(Console& console, Loop& loop, std::function<std::string()> text);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void update();

 private:
  void tick();

  Console& console_;
  Loop& loop_;
  std::function<std::string()> text_;
  HandlePtr timer_;
};

}  // namespace trainctl::job
