// One container of a pod over all its runs: starts it, restarts it with back-off, ends it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "local/kubelet/kubelet_context.h"
#include "local/kubelet/pod_status.h"
#include "local/kubelet/runner.h"

namespace trainctl::local {

// Decides which containers run again after the embedded cluster was shut down, and keeps a note on
// disk for the next daemon. True for a pod that continues after a shutdown, as after a reboot of
// its node: its containers are restarted, with their earlier logs kept. False for one whose
// containers may run only once.
bool returns_after_shutdown(const KubeletContext& context, const Json& pod);

// Notes that the run with this directory now ends because of a shutdown, so that its exit code is
// no verdict on its program.
void note_interruption(const std::string& attempt_directory);

class ContainerRun {
 public:
  // `again` requests another pass over the pod, on a later turn. Adopts runs that a former daemon
  // started.
  ContainerRun(KubeletContext& context, const Json& pod, Json spec, ContainerRole role,
               std::function<void()> again);

  const ContainerView& view() const { return view_; }
  // True when a process of the container may exist.
  bool is_alive() const { return attempt_ != nullptr; }
  // The files of the present run; null while there is none.
  const AttemptRecord* record() const { return attempt_ ? &attempt_->record() : nullptr; }

  // Processes what happened since the last pass, and records its events.
  void settle(const Json& pod);
  // Starts the container when it should run and does not, at first or again by the pod's policy.
  // Returns when to try again, if it waits for a time.
  std::optional<Time> keep_running(const Json& pod);
  // The cause that prevented its start may be fixed, so the next pass tries again.
  void try_at_once() { next_try_.reset(); }
  // Sends SIGTERM once and records the event.
  void ask_to_end(const Json& pod);
  void kill();
  // Notes on disk that the run now ends because the embedded cluster shuts down, regardless of its
  // exit code: the next daemon runs the container again.
  void note_interruption() const;

 private:
  void adopt();
  void take_record(const Json& pod, const AttemptRecord& record);
  void take_exit(Instance& run, const ContainerExit& exit) const;
  void start_next();
  bool counts_as_done(const Json& pod);
  std::optional<Time> back_off(const Json& pod);
  std::optional<Time> start(const Json& pod);
  std::optional<Time> wait_for_fix(const Json& pod, const std::string& reason,
                                   const std::string& message);
  void record(const Json& pod, std::string_view type, std::string_view reason,
              std::string_view message) const;
  std::string directory(int attempt) const;

  KubeletContext& context_;
  std::string pod_uid_;
  std::function<void()> again_;
  ContainerView view_;
  std::optional<Instance> next_;  // requested, but not yet known to run
  std::unique_ptr<Attempt> attempt_;
  Duration pause_{};  // pause before the next restart; 0 = none
  std::optional<Time> pause_set_;
  std::optional<Time> next_try_;  // next attempt of a start that configuration prevented
  bool asked_to_end_ = false;
};

}  // namespace trainctl::local
