// Reads one container run's log from its first wanted line to its last, over any number of
// connections: asks, resumes and retries.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/loop.h"
#include "job/logs/log_options.h"
#include "job/logs/owner_question.h"
#include "job/logs/retry_pace.h"
#include "job/logs/rotation_probe.h"
#include "job/logs/run_log.h"
#include "kube/client.h"
#include "kube/log_stream.h"

namespace trainctl::job {

// One run to read: what the user asked for, and what is known of the run.
struct TailTask {
  TailTarget target = {};
  LogOptions asked = {};
  bool only_if_started = false;  // a container that still waits to start has no log: done at once
  bool rights_known = false;     // this log or another was read before, with the same rights
  std::optional<Time> started = {};   // when the container did
  std::optional<Time> known_at = {};  // when a status said that this is its run; else just now
  Handover before = {};               // from the run before
};

struct TailHandlers {
  std::function<void(const kube::LogLine&)> on_line;
  std::function<void(const std::string& notice)> on_notice;  // possible gap, node trouble
  // What the container writes over and over, until it ends as a line.
  std::function<void(std::string_view state)> on_progress = {};
  // An attempt to read has failed, the next is made after `wait`; and: one has not.
  std::function<void(const Error& why, Duration wait)> on_trouble = [](const Error&, Duration) {};
  std::function<void()> on_open = [] {};
  // Everything there is was printed, or (with an error) cannot be had.
  std::function<void(Status)> on_done;
};

class LogTail {
 public:
  LogTail(kube::Client& client, TailTask task, TailHandlers handlers);

  // The container has ended (its status says so): what is left is read, then it is done. Repeated
  // when it is learnt later that a new run has begun.
  void container_ended(const RunEnd& end);
  // Nobody waits for the container's end any more: what there is now is read, then it is done.
  void let_go();
  // Reads no more until go_on(), then from the line after the newest one printed.
  void hold();
  void go_on();
  void pod_gone() { log_gone(k_deleted); }
  Handover handover() const { return log_.handover(); }

 private:
  // The container, and with it what there is to read.
  struct Runs {};      // for all we know
  struct HasEnded {};  // the rest is read
  struct LetGo {};     // nobody waits for its end: what there is is read
  struct Gone {        // nothing can be asked for any more: what the open answer holds is all
    std::string_view why;
  };
  struct Done {};
  using Phase = std::variant<Runs, HasEnded, LetGo, Gone, Done>;

  // What is under way.
  struct Held {};
  struct Pausing {
    HandlePtr timer;  // until the next request
  };
  struct Reading {
    HandlePtr request;
    HandlePtr watchdog;  // for silence
  };
  struct Stopped {};       // nothing, for the moment
  struct EndedCleanly {};  // an answer; what that means is not known yet
  using Activity = std::variant<Stopped, EndedCleanly, Pausing, Reading, Held>;

  static constexpr std::string_view k_deleted = "its pod was deleted meanwhile";

  template <typename State>
  bool is() const {
    return std::holds_alternative<State>(phase_);
  }
  bool has_ended() const { return !is<Runs>(); }
  bool is_gone() const { return is<Gone>() || is<Done>(); }
  bool is_reading() const { return std::holds_alternative<Reading>(activity_); }
  // Nobody waits for a log to come that is not there now.
  bool asked_for_now() const {
    return !task_.asked.follow && !task_.only_if_started && !log_.seen().any();
  }

  kube::LogQuery query() const;
  void open();
  void open_after(Duration delay);
  void drop_answer();
  void watch_for_silence();
  void watch_for_idleness();

  void on_open();
  void on_line(const kube::LogLine& line);
  void on_end();
  void on_clean_end();
  void on_failure(const kube::Failure& failure);

  void ask_whose();
  void on_owner(const OwnerAnswer& answer);
  void refuse_answer();
  void settle();

  void log_gone(std::string_view why);
  void finish_gone(std::string_view why = k_deleted);
  void finish(Status status);

  kube::Client& client_;
  TailTask task_;
  TailHandlers handlers_;
  Phase phase_;
  Activity activity_;
  RunLog log_;
  RetryPace pace_;
  RotationProbe probe_;
  bool never_asked_ = true;
  HandlePtr question_;  // whose the answer is
};

}  // namespace trainctl::job
