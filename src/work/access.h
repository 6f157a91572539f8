// Access to one cluster, this machine and the user: everything that this layer may touch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/console/console.h"
#include "base/environment.h"
#include "base/file/files.h"
#include "base/file/own_file.h"
#include "base/loop/loop.h"
#include "base/loop/wait_limit.h"
#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "follow/follow.h"
#include "kube/client/client.h"
#include "manifest/kind/kind.h"

namespace trainctl::work {

struct EnvironmentVariable;

// The addresses that the embedded cluster's kubelet rewrites for a job; empty for a job of another
// cluster, whose programs get the values that their pods state.
struct LocalAddresses {
  std::vector<Json> services;   // of the job's namespace
  Json ports = Json::object();  // of this machine, by "SERVICE:PORT"
};

// The differences of the embedded cluster, whose replicas are processes of this machine.
class EmbeddedCluster {
 public:
  virtual ~EmbeddedCluster() = default;

  // Code::usage for a kind that it does not serve.
  virtual Status check_kind(const job::Kind& kind) const = 0;
  // The ports of this machine that stand for a job's, by "POD:PORT" and "SERVICE:PORT".
  virtual Result<Json> ports(std::string_view job_uid) = 0;
  // The last states of a job's deleted pods whose logs are kept; none when it does not answer.
  virtual std::vector<Json> ended_pods(std::string_view job_uid) = 0;
  // Rewrites the values as the kubelet did for this container, if it has started one.
  virtual void rewrite(const LocalAddresses& addresses, const Json& pod, const Json& container,
                       std::vector<EnvironmentVariable>& variables) const = 0;
  // Returns why none of its jobs makes progress, as "no space left on /home"; "" = nothing known.
  virtual std::string what_hinders() const = 0;
  // Sets the options that differ for a job on this machine: kept logs, repeated crashes, a full
  // disk.
  virtual void set_following(std::string_view job_uid, job::FollowOptions& options) const = 0;
  // True for the verdict of a job that ended because the embedded cluster was stopped.
  virtual bool was_stopped(const Error& verdict) const = 0;
};

// The origin of a run in the memory of runs that were submitted or followed from this machine.
struct RunOrigin {
  std::string line;          // the command line that created it, without secrets
  std::string array_values;  // job::member_values()
  bool elsewhere = false;    // it was only followed from this machine
};

inline constexpr int k_longest_message = 300;  // columns of the message of a run

inline constexpr std::string_view k_embedded_cluster = "local";  // the name of the embedded cluster

// A run of a job. Unknown facts are left empty.
struct PastRun {
  std::int64_t number = 0;  // from 1, in the order in which they were noted; 0 = not yet
  std::string name, ns, uid;
  std::string kind;     // "PyTorchJob"
  std::string cluster;  // the context's name, else the server's host; k_embedded_cluster
  std::optional<Time> submitted, started, ended;  // started: when no queue held it any more
  std::string verdict;  // "succeeded", "failed", …; "" = nobody has seen one
  std::optional<int> exit_status;
  std::string message;     // of a verdict that is not a success
  std::string saved_logs;  // the directory of --save-logs
  RunOrigin origin;
  Json manifest;  // without secrets; null = not kept, or not asked for
  // job::metrics_json() of what its log lines held, from list() without points; null = none.
  // "endsEarly": true where the command that read them left before the log ended.
  Json metrics;

  bool metrics_end_early() const { return true_at(metrics, "/endsEarly"); }
};

struct RunQuery {
  std::string ns;                          // "" = any
  std::string name;                        // "" = any
  std::size_t limit = 0;                   // 0 = all
  std::vector<std::string> verdicts = {};  // exit_word()s; empty = any, and none
  bool with_manifests = false;
  bool unended = false;  // only those whose end nobody has seen
};

class PastRuns {
 public:
  virtual ~PastRuns() = default;

  // Adds the run, or adds what is new of a run with this uid. `now` decides which runs are too old
  // to be kept.
  virtual Status keep(const PastRun& run, Time now) = 0;
  // The newest first, without manifests and points of metrics.
  virtual Result<std::vector<PastRun>> list(const RunQuery& query) = 0;
  // Whether the job with this uid was submitted from this machine.
  virtual Result<bool> has_submitted(const std::string& uid) = 0;
  // The run with this number; Code::not_found.
  virtual Result<PastRun> find(std::int64_t number) = 0;
};

class Access {
  std::unique_ptr<PinnedFiles> pinned_files_;
  std::set<std::string> noticed_;

 public:
  Access(Console& console, Files& files, Loop& loop, Environment environment);
  virtual ~Access() = default;
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  Console& console;
  PinnedFiles& files;  // each file is read once, so that no two readers see different bytes
  Loop& loop;
  Environment environment;
  std::function<std::string()> unique_id;  // unguessable; marks objects that this run creates
  // The system's name for this user; "" = unknown. Called only if no variable names the user, since
  // the look-up would slow every start.
  std::function<std::string()> login = [] { return std::string(); };
  std::string directory;  // the working directory; "" = $PWD
  // The end of --timeout, for all that the command waits for; nullopt = there is none.
  std::optional<Deadline> deadline;
  // When false, nobody reads warnings and nothing may take long: TAB is being answered.
  bool patient = true;
  // null: the chosen cluster is not the embedded one.
  std::unique_ptr<EmbeddedCluster> embedded;
  // null: nothing is remembered.
  std::unique_ptr<PastRuns> history;

  // Prints the notice unless this command has printed it.
  void notice_once(const std::string& text);

  // The client for the chosen cluster, made at the first call.
  virtual Result<kube::Client*> client() = 0;
  // Makes client() lead to that worker cluster of MultiKueue, in the same namespace; all else stays
  // as it is. Code::usage when the configuration has no context for the cluster.
  virtual Status enter_worker(const std::string& worker) = 0;
  virtual void leave_worker() = 0;
  // The namespace to work in; needs no cluster.
  virtual const std::string& ns() = 0;
  // The namespace that the user named on the command line; "" = none.
  virtual const std::string& named_ns() const = 0;
  // The name by which the user chooses the cluster, else its host; "" = unknown.
  virtual std::string cluster_name() const = 0;
  // Equal for all who reach the cluster by the same certificate authority, else by the same host,
  // whatever they call it; "" = unknown.
  virtual std::string cluster_identity() const = 0;
  // Ends the waits of client(), which need not exist yet; returns the limit before. See
  // LimitedCalls.
  virtual WaitLimit* set_limit(WaitLimit* limit) = 0;

  // Sets the deadline, or none where there is no timeout.
  void begin_timeout(std::optional<Duration> timeout, Time begin);
  // The working directory; "" when it no longer exists.
  std::string working_directory() const;
  // The user's name: the environment's, else the system's; "" when neither has one.
  std::string user_name() const;
};

// While it lives, each wait for the cluster ends at the deadline and at ending signals, with the
// error of that deadline or signal (WaitLimit). The innermost object counts.
class LimitedCalls {
 public:
  // The command's deadline.
  explicit LimitedCalls(Access& access) : LimitedCalls(access, access.deadline) {}
  // One of its own, as a roll-back has.
  LimitedCalls(Access& access, const Deadline& own)
      : LimitedCalls(access, std::optional<Deadline>(own)) {}
  // Keeps the limit that there is, but a signal waits for the answer under way, for `grace`.
  LimitedCalls(Access& access, Duration grace)
      : access_(access), outer_(access.set_limit(nullptr)), limit_(access.loop, outer_, grace) {
    access_.set_limit(&limit_);
  }
  ~LimitedCalls() { access_.set_limit(outer_); }
  // The deadline or a signal has ended the waits.
  bool are_over() const { return limit_.reached().has_value(); }
  LimitedCalls(const LimitedCalls&) = delete;
  LimitedCalls& operator=(const LimitedCalls&) = delete;

 private:
  LimitedCalls(Access& access, const std::optional<Deadline>& deadline)
      : access_(access), outer_(access.set_limit(nullptr)), limit_(access.loop, deadline) {
    access_.set_limit(&limit_);
  }

  Access& access_;
  WaitLimit* outer_;
  WaitLimit limit_;
};

// The runs that the history has of jobs of this name, in the namespace and the cluster that are
// asked; newest first, without manifests. Empty where the history cannot be read.
std::vector<PastRun> runs_here(Access& access, const std::string& name);

}  // namespace trainctl::work
