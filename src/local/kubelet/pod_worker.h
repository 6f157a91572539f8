// One pod on this machine: volumes, init containers, containers, deadline, deletion, status.
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
  // `over` is called, on a later turn, when the pod is gone and nothing of it is left.
  PodWorker(KubeletContext& context, Json pod, std::function<void()> over);

  void update(const Json& pod);
  // The pod was removed from the store: everything of it ends at once.
  void removed();
  // The machine's cluster goes down: SIGTERM, and SIGKILL after the pod's grace period or `limit`.
  void shut_down(std::optional<Duration> limit);
  // A secret or a config map, which the pod may wait for, has changed.
  void sources_changed();
  void look_again();
  int running() const;
  // The pod has succeeded or failed, and nothing is under way: a worker made later finds the same.
  bool is_over() const;
  const Json& pod() const { return pod_; }

 private:
  // A part of the pod's end that others are to see.
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

  KubeletContext& context_;
  Json pod_;
  std::function<void()> over_;
  std::vector<std::unique_ptr<ContainerRun>> runs_;
  bool has_volumes_ = false;
  std::optional<Time> next_mount_;
  bool removed_ = false;
  std::optional<Time> end_by_;  // everything is to end, by SIGKILL from then on
  std::string reason_, message_;
  Step containers_ended_, pod_ended_;
  HandlePtr timer_;
  Time timer_due_{};
};

}  // namespace trainctl::local
