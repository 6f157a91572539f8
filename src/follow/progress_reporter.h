// Reports on stderr while a job is followed: phases, restarts, events, signs of life, and the
// status line of a terminal.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/console/console.h"
#include "base/loop/loop.h"
#include "base/text/text.h"
#include "base/text/time.h"
#include "follow/debounce.h"
#include "follow/live_region.h"
#include "follow/status_line.h"
#include "follow/verdict_words.h"
#include "logs/log_printer.h"
#include "metrics/job_metrics.h"
#include "status/state.h"

namespace trainctl::job {

struct ProgressFacts {
  bool prints_logs = false;  // a silence of the job's log is reported
  std::function<std::string()> what_hinders = [] { return std::string(); };  // the whole cluster
  std::function<std::string()> stall = [] { return std::string(); };  // of a silent job; else ""
  std::function<std::string(const std::string&)> runnable;            // FollowOptions::runnable
  bool is_shown_elsewhere = false;  // several jobs share the lines at the bottom of a terminal
  MetricPatterns metrics = {};      // see JobMetrics
  std::string array_values = {};    // member_values()
};

class ProgressReporter {
 public:
  ProgressReporter(Console& console, Loop& loop, std::string job_name, ProgressFacts facts);

  // Starts the heartbeat, which beats for as long as this lives, and the status line.
  void start();
  void remove_status_line() { status_line_.reset(); }
  // No lines can be read, so that their silence says nothing.
  void expect_no_lines() { facts_.prints_logs = false; }
  Time started() const { return started_; }

  // Takes the job's state, which must stay where it is: each report reads it again.
  void see(const JobState& state);
  bool has_seen() const { return state_ != nullptr; }
  // Report each phase with its reason, each restart, and a sidecar that keeps the job from ending.
  void report_phase();
  // With the error of a run of which no line is read.
  void report_restarts(const std::function<bool(const ReplicaId&)>& is_read);
  void watch_sidecar();
  // Implements --events. Reports events in their order, so call it only once the first list is
  // complete.
  void report_events(std::span<const Json> events);

  // A line is a sign of life, and so is a progress bar, which a replica writes over and over. Both
  // may tell how the training goes.
  void on_line(const LogOrigin& origin, const kube::LogLine& line);
  void on_progress(const LogOrigin& origin, std::string_view states);
  // The cluster cannot be reached; "" when it can again.
  void on_trouble(const std::string& notice);
  // nullopt while there is contact with the cluster.
  std::optional<LostContact> lost_contact() const;
  // The line among those of other jobs; nullopt before anything is known.
  std::optional<LiveJob> live(int width, const LiveColumns& columns) const;
  // The state of the GPUs, as gpu_words() says it.
  void show_gpus(std::string words) {
    training_.gpus = std::move(words);
    redraw();
  }
  // A lag that counts where the lines that are followed show none.
  void show_lag(std::optional<MetricLag> lag) {
    training_.asked_lag = std::move(lag);
    redraw();
  }
  // To be called when the status line would show something else.
  void redraw() {
    if (status_line_) status_line_->update();
  }
  // The verdict is in, and only last lines are awaited.
  void on_verdict();
  // The metrics that the job has printed.
  const JobMetrics& metrics() const { return training_.metrics; }
  // Its replicas have run on several nodes.
  bool spans_nodes() const { return training_.spans_nodes; }
  // The replica that is furthest behind, as far as anything shows it.
  std::optional<MetricLag> lag() const;
  // No line comes any more: the metrics take the last one of each replica, if it was skipped, and a
  // fault of the network need not wait.
  void take_skipped_lines();
  // Leaves how far the training came and how good it was as one line.
  void report_training();

 private:
  enum class Stage { asking, following, reading_the_rest };
  struct Outage {
    std::string notice;
    Time began;
  };
  // A line of more than are worth their time.
  struct SkippedLine {
    LogOrigin origin;
    Time printed;
    std::string text;
  };
  // The last ones of a replica: behind the last metrics a program may print some words.
  struct SkippedLines {
    std::array<SkippedLine, 8> lines;
    std::size_t count = 0;  // of all since a metric was read
  };
  struct Training {
    JobMetrics metrics;
    std::map<ReplicaId, SkippedLines> skipped;
    std::string told;  // the last notice
    HandlePtr timer;   // of the next
    bool spans_nodes = false;
    std::string gpus = {};
    std::optional<MetricLag> asked_lag = {};
    HandlePtr network_timer = {};
  };

  // True the first time.
  bool is_news(std::string key) { return reported_.insert(std::move(key)).second; }
  void report_hindrance();
  void report_network();
  void report_network_soon();
  std::string what_is_awaited() const;  // unless the job itself is
  bool take_metrics(const LogOrigin& origin, Time printed, std::string_view text,
                    bool is_under_way);
  void skip(const LogOrigin& origin, Time printed, std::string_view text);
  StatusLine::Shown shown() const;
  std::optional<MetricLag> present_lag() const;
  Duration silent_for() const;
  void tell_training();
  std::string sign_of_life() const;
  std::string silence() const;
  std::string hindrance() const;
  // Beats after a silence of `interval`; `silent` of it has passed already.
  void beat_after(Duration interval, Duration silent = {});
  void beat(Duration interval);

  Console& console_;
  Loop& loop_;
  std::string job_name_;
  ProgressFacts facts_;
  Time started_;
  Stage stage_ = Stage::asking;
  const JobState* state_ = nullptr;  // from Stage::following on
  std::set<std::string> reported_;
  std::optional<Outage> outage_;
  std::string progress_;  // a replica's progress bar
  Time last_line_;        // or when following began
  Debounce kept_;         // a pod that a sidecar keeps
  HandlePtr heartbeat_timer_;
  Training training_;
  std::optional<StatusLine> status_line_;
};

}  // namespace trainctl::job
