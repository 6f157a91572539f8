// Finishes a command after following has ended: reads the lines under way, and deletes the job if
// --on-give-up or --on-interrupt ask for it. Then it also reads what the job's pods print while
// they stop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/console/console.h"
#include "follow/follow.h"
#include "follow/post_mortem.h"
#include "kube/client/client.h"
#include "kube/client/removal.h"
#include "logs/log_session.h"
#include "logs/log_sources.h"
#include "status/monitor.h"

namespace trainctl::job {

// The Follower's working parts. All of them outlive the FollowShutdown.
struct ShutdownParts {
  kube::Client& client;
  Console& console;
  const Kind& kind;
  const FollowOptions& options;
  LogSources& sources;
  PostMortem& post_mortem;
  LogSession& session;
  const Monitor& monitor;
};

class FollowShutdown {
 public:
  struct Cause {
    Status verdict;
    EndedBy by;
    Time since;  // when the verdict was found
  };
  // `job`: the job to delete.
  FollowShutdown(const ShutdownParts& parts, kube::RemovalTarget job, Cause cause);

  // Lines under way get this long; zero ends at once, unless the job is to be deleted.
  void begin(Duration grace);
  // Something has changed: pods, logs, or the digest's lines.
  void advance();
  // The user does not want to wait for lines still under way.
  void on_signal(Code code);
  // Lines that were read could not be written.
  void on_output_lost(Error error);
  // No further line is awaited.
  bool is_done() const { return stage_ == Stage::done; }

  // Waits until the reader of stdout has taken what is left, within reason. Runs the loop.
  void drain();

  // Ok when the verdict is a success and all its lines were written.
  Status verdict() const;
  bool has_deleted() const { return std::holds_alternative<Deleted>(leftover_); }
  Leftover leftover() const;
  bool has_given_up() const;
  // The job as it was judged: a failed one at the verdict, a deleted one before its deletion.
  JobState state() const;
  Json job() const;

 private:
  enum class Stage {
    digest,    // the job is to be deleted once the culprit's last lines are here
    deleting,  // the server was asked to
    stopping,  // its pods print their last lines
    reading,   // lines under way
    unread,    // nobody takes lines any more: the digest's alone are awaited
    done,
  };
  struct Judged {
    JobState state;
    Json job;
  };

  std::string_view flag_of_deletion() const;
  Error cut_short(Code code) const;
  void delete_job();
  void delete_unfinished(const Json& job);
  void on_deleted(const Status& removed);
  // A time limit or a signal has ended following.
  bool is_limited() const;
  void limit_the_rest();
  Time end_of_rest() const;
  std::string log_command() const;
  void give_up_lines();
  void out_of_time();
  void read_until_stopped();
  void give_up_pods(Stage next);
  bool have_stopped() const;
  void read_current();
  void take_current(std::vector<Json> pods);
  void read_kept();
  void stop_reading();
  bool leaves_reader() const;

  ShutdownParts parts_;
  kube::RemovalTarget job_;
  Cause cause_;
  std::string_view flag_;  // by which the job is deleted; "" = it is not
  Stage stage_ = Stage::reading;
  Time deleted_{};
  Leftover leftover_;     // Deleted or NotDeleted, where a flag asked for it
  bool hurried_ = false;  // by a signal, or because the reader of stdout takes too long
  std::optional<Error> output_lost_;
  std::optional<Judged> judged_;
  HandlePtr timer_, removal_, current_, kept_;
  HandlePtr rest_;  // ends what a timeout or a signal leaves time for; null = nothing limits it
};

}  // namespace trainctl::job
