// Reads one container run's log from its first wanted line to its last, over as many connections as
// it takes: requests, resumes and retries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/loop/loop.h"
#include "kube/client/client.h"
#include "kube/stream/log_stream.h"
#include "logs/gap_detection.h"
#include "logs/log_options.h"
#include "logs/log_sink.h"
#include "logs/retry_pace.h"
#include "logs/run_attribution.h"
#include "logs/run_log.h"

namespace trainctl::job {

// The run to read: what the user asked for, and what is known about the run.
struct TailTask {
  TailTarget target = {};
  LogOptions asked = {};
  LogOrigin origin = {};  // names the run to the sink
  // Finish soon when the container has not started, since it has no log.
  bool only_if_started = false;
  bool rights_known = false;         // this or another log was read before with the same credential
  std::optional<Time> started = {};  // when the container started
  std::optional<Time> known_at = {};  // when a status reported this run; else just now
  Handover before = {};               // what the previous run hands over

  bool names_run() const { return asked.outlives_pods() && !target.container_id.empty(); }
};

class LogTail : public kube::LineSink {
 public:
  LogTail(kube::Client& client, TailTask task, LogSink& sink);

  // The container's status says that it has ended: the rest is read, then on_done is called. Called
  // again when a newer run turns out to have begun.
  void container_ended(const RunEnd& end);
  // Stops waiting for the container's end: the log is read as far as it exists now, then on_done is
  // called.
  void let_go();
  // True until a status says that the container has ended, or let_go() is called.
  bool awaits_end() const { return is<Runs>(); }
  // Stops reading until go_on(), which continues after the newest line printed.
  void hold();
  void go_on();
  // Its pod was deleted, which ends the log; where logs outlive pods, the rest is read.
  void pod_gone();
  // True when the container had not started when it was last asked for its log.
  bool awaits_start() const { return awaits_start_; }
  Handover handover() const { return log_.handover(); }

 private:
  // The state of the container decides how much remains to be read.
  struct Runs {};      // as far as statuses say
  struct HasEnded {};  // reading the rest
  struct LetGo {};     // its end is not waited for; reading what exists now
  struct Gone {        // no further request is possible; the open answer holds all that remains
    std::string_view why;
  };
  struct Done {};
  using Phase = std::variant<Runs, HasEnded, LetGo, Gone, Done>;

  // The activity says what the tail is doing at the moment.
  struct Held {};
  struct Pausing {
    HandlePtr timer;  // until the next request
  };
  struct Reading {
    HandlePtr request;
    HandlePtr watchdog;   // detects silence
    HandlePtr look = {};  // looks for lines that the node hides
  };
  struct Stopped {};       // neither reading nor waiting
  struct EndedCleanly {};  // an answer ended; what that means is not decided yet
  using Activity = std::variant<Stopped, EndedCleanly, Pausing, Reading, Held>;

  static constexpr std::string_view k_deleted = "its pod was deleted meanwhile";

  template <typename State>
  bool is() const {
    return std::holds_alternative<State>(phase_);
  }
  bool has_ended() const { return !is<Runs>(); }
  bool is_gone() const { return is<Gone>() || is<Done>(); }
  bool is_reading() const { return std::holds_alternative<Reading>(activity_); }
  // True when a log that does not exist now is an error instead of something to wait for.
  bool asked_for_now() const {
    return !task_.asked.follow && !task_.only_if_started && !log_.seen().any();
  }

  // True where requests say which run they want, so that every answer is of that run.
  bool names_run() const { return task_.names_run(); }
  kube::LogQuery query() const;
  void open();
  void open_after(Duration delay);
  void drop_answer();
  void watch_for_silence();
  void watch_for_idleness();
  void watch_for_hidden_lines();

  void on_open() override;
  void on_line(const kube::LogLine& line) override;
  void on_progress(std::string_view states) override;
  void on_end(const std::optional<kube::Failure>& failure) override;
  void on_clean_end();
  void on_failure(const kube::Failure& failure);

  void ask_whose();
  void on_owner(const OwnerAnswer& answer);
  void refuse_answer();
  void settle();

  void end_run(const RunEnd& end);
  void log_gone(std::string_view why);
  void finish_gone(std::string_view why = k_deleted);
  void finish(const Status& status);

  kube::Client& client_;
  TailTask task_;
  LogSink& sink_;
  Phase phase_;
  Activity activity_;
  RunLog log_;
  RetryPace pace_;
  RotationProbe probe_;
  bool never_asked_ = true;
  bool awaits_start_ = false;
  bool is_kept_ = false;  // the log of a pod that is gone, to which no run will be added
  int looks_ = 0;         // for a container that had not started yet
  HandlePtr question_;    // asks whose log the answer is
};

}  // namespace trainctl::job
