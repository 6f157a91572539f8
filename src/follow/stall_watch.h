// Notices that a running job has printed nothing for a while, and says what is to be done then.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/loop/loop.h"
#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::job {

// Says what the job's processes wait for: for people, and as `doctor -o json` prints it.
struct ProbeReport {
  std::string screen;
  Json report;
  std::string work;  // "rank 0 computes"; "" = nothing was seen to
};

// Looks into the job's processes for at most `longest` and calls `on_end`, unless the handle is
// destroyed before.
using LookInside =
    std::function<HandlePtr(const Json& job, std::span<const Json> pods, Duration longest,
                            std::function<void(const Result<ProbeReport>&)> on_end)>;

// The known facts about the silence of a running job.
struct StallRules {
  std::optional<Duration> after = {};  // --stall; nullopt = never
  std::string advice = {};             // the command that looks inside, as users type it
  LookInside look = {};                // unset: nothing can look inside
  bool looks_at_end = false;           // before a running job is given up, for the report
};

// Reports each silence once: the next one begins with the next output. Silence counts only while
// the job runs, the cluster answers, and stdout takes lines.
class StallWatch {
 public:
  // `after` nullopt: never.
  StallWatch(Loop& loop, std::optional<Duration> after, std::function<void()> on_stall)
      : loop_(loop), after_(after), on_stall_(std::move(on_stall)) {}

  // A line or a progress bar has come.
  void on_output();
  void set_running(bool runs) { set(runs_, runs); }
  void set_reachable(bool is_reachable) { set(is_reachable_, is_reachable); }
  void set_reading(bool reads) { set(reads_, reads); }
  void stop() { set_running(false); }
  // The silence that was reported is reported again if it goes on for as long.
  void go_on();
  // How long the job has been silent; nullopt before that has lasted.
  std::optional<Duration> stalled() const;

 private:
  bool counts() const { return runs_ && is_reachable_ && reads_; }
  void set(bool& fact, bool value);
  void wait(Duration left);
  void expire();

  Loop& loop_;
  std::optional<Duration> after_;
  std::function<void()> on_stall_;
  bool runs_ = false, is_reachable_ = true, reads_ = true;
  bool is_told_ = false;
  Time last_{};
  HandlePtr timer_;
};

}  // namespace trainctl::job
