// What a follower says on stderr while it waits: phases, restarts, events, signs of life, and the
// status line of a terminal.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/console.h"
#include "base/loop.h"
#include "job/follow/status_line.h"
#include "job/logs/log_printer.h"
#include "job/status/debounce.h"
#include "job/status/state.h"

namespace trainctl::job {

class ProgressReporter {
 public:
  // `prints_logs`: a silence of the job's log is worth a word.
  ProgressReporter(Console& console, Loop& loop, std::string job_name, bool prints_logs);

  // The heartbeat and the status line, until stop().
  void start();
  void stop() { status_line_.reset(); }
  Time started() const { return started_; }

  // The job has been looked at; `state` must stay where it is, and is read again for each word.
  void see(const JobState& state);
  bool has_seen() const { return state_ != nullptr; }
  // Each phase and each reason within it, each restart, and a sidecar that keeps the job.
  void report_phase();
  void report_restarts();
  void watch_sidecar();
  // --events. In their order, so not before all that there are at the beginning have come.
  void report_events(std::span<const Json> events);

  // A line, and what a replica writes over and over, are signs of life.
  void on_line(const LogOrigin& origin);
  void on_progress(const LogOrigin& origin, std::string_view progress);
  // The cluster cannot be reached; "" when it can again.
  void on_trouble(const std::string& notice);
  // The verdict is in, and only last lines are awaited.
  void on_verdict();

 private:
  enum class Stage { asking, following, reading_the_rest };

  // For the first time?
  bool is_news(std::string key) { return reported_.insert(std::move(key)).second; }
  std::string what_is_awaited() const;  // unless the job itself is
  std::string status_text() const;
  std::string sign_of_life() const;
  // After a silence of that length, of which so much is over.
  void beat_after(Duration interval, Duration silent = {});
  void beat(Duration interval);

  Console& console_;
  Loop& loop_;
  std::string job_name_;
  bool prints_logs_;
  Time started_;
  Stage stage_ = Stage::asking;
  const JobState* state_ = nullptr;  // from Stage::following on
  std::set<std::string> reported_;
  std::string trouble_;
  std::string progress_;  // what a replica writes over and over
  Time last_line_;        // or when following began
  Debounce kept_;         // a pod that a sidecar keeps
  HandlePtr heartbeat_timer_;
  std::optional<StatusLine> status_line_;
};

}  // namespace trainctl::job
