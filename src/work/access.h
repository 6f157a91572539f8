// Access to one cluster, this machine and the user: everything that this layer may touch.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/console/console.h"
#include "base/environment.h"
#include "base/file/files.h"
#include "base/file/pinned_files.h"
#include "base/loop/deadline.h"
#include "base/loop/loop.h"
#include "base/loop/wait_limit.h"
#include "kube/client/client.h"
#include "work/embedded_cluster.h"
#include "work/past_runs.h"

namespace trainctl::work {

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
  // The namespace to work in; needs no cluster.
  virtual const std::string& ns() = 0;
  // The namespace that the user named on the command line; "" = none.
  virtual const std::string& named_ns() const = 0;
  // The name by which the user chooses the cluster, else its host; "" = unknown.
  virtual std::string cluster_name() const = 0;
  // Ends the waits of client(), which need not exist yet; returns the limit before. See
  // LimitedCalls.
  virtual WaitLimit* set_limit(WaitLimit* limit) = 0;

  // The working directory; "" when it no longer exists.
  std::string working_directory() const;
  // The user's name: the environment's, else the system's; "" when neither has one.
  std::string user_name() const;
};

// While it lives, each wait for the cluster ends at the deadline and at ending signals, with the
// error of that deadline or signal (WaitLimit). The innermost object counts: a roll-back has its
// own.
class LimitedCalls {
 public:
  LimitedCalls(Access& access, const std::optional<Deadline>& deadline)
      : access_(access), outer_(access.set_limit(nullptr)), limit_(access.loop, deadline) {
    access_.set_limit(&limit_);
  }
  // Keeps the limit that there is, but a signal waits for the answer under way, for `grace`.
  LimitedCalls(Access& access, Duration grace)
      : access_(access), outer_(access.set_limit(nullptr)), limit_(access.loop, outer_, grace) {
    access_.set_limit(&limit_);
  }
  ~LimitedCalls() { access_.set_limit(outer_); }
  LimitedCalls(const LimitedCalls&) = delete;
  LimitedCalls& operator=(const LimitedCalls&) = delete;

 private:
  Access& access_;
  WaitLimit* outer_;
  WaitLimit limit_;
};

}  // namespace trainctl::work
