// Runs one pod on this machine: volumes, init containers, containers, deadline, deletion, status.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "local/kubelet/container_run.h"
#include "local/kubelet/kubelet_context.h"

namespace trainctl::local {

class PodWorker {
 public:
  // `over` is called, on a later turn, when the pod is gone and nothing of it remains.
  PodWorker(KubeletContext& context, Json pod, std::function<void()> over);

  void update(const Json& pod);
  // The pod was removed from the store: all of it ends at once.
  void removed();
  // The embedded cluster shuts down: sends SIGTERM, and SIGKILL after the pod's grace period or
  // `limit`. As when a node reboots, the next daemon restarts the containers unless that is never
  // allowed, in which case the pod has failed.
  void shut_down(std::optional<Duration> limit);
  // A secret or a config map has changed, which the pod may be waiting for.
  void sources_changed();
  void look_again();
  int running() const;
  const std::vector<std::unique_ptr<ContainerRun>>& runs() const { return runs_; }
  // True when the pod has succeeded or failed and nothing is in progress, so that a worker created
  // later would find the same.
  bool is_over() const;
  const Json& pod() const { return pod_; }

 private:
  // A step of the pod's end that clients must be able to observe.
  struct Step {
    std::optional<Time> due;
    bool had_turn = false;
  };

  void look_at(Time time);
  void pass();
  void find_reasons_to_end();
  void end_with(std::string reason, std::string message, Time deadline);
  void run_containers();
  bool have_volumes();
  void end_containers();
  void end_sidecars_of_finished_pod();
  PodView view() const;
  bool holds_phase(const PodView& now);
  bool lasts(Step& step);
  void publish();
  bool is_alive() const;
  bool is_settled() const;
  bool may_return() const;

  KubeletContext& context_;
  Json pod_;
  std::function<void()> over_;
  std::vector<std::unique_ptr<ContainerRun>> runs_;
  bool has_volumes_ = false;
  std::optional<Time> next_mount_;
  bool removed_ = false;
  bool kept_ = false;         // its logs stay when it is removed
  bool interrupted_ = false;  // its containers end with the daemon, and run again with the next one
  std::optional<Time> end_by_;  // everything is ending; SIGKILL is used from then on
  std::string reason_, message_;
  Step containers_ended_, pod_ended_;
  HandlePtr timer_;
  Time timer_due_{};
};

}  // namespace trainctl::local
