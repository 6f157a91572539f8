// Makes passes over one pod: each examines everything and does what is due.
#include "local/kubelet/pod_worker.h"

#include <algorithm>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "local/api/garbage.h"
#include "local/kubelet/container_run.h"
#include "local/kubelet/container_start.h"
#include "local/kubelet/ended_pods.h"

namespace trainctl::local {

namespace {

constexpr std::int64_t k_default_grace = 30;
// Each step of a pod's end lasts this long, so that clients can observe it; a kubelet takes a
// second for it.
constexpr Duration k_shown = std::chrono::milliseconds(50);

std::chrono::seconds grace_of(const Json& pod) {
  return std::chrono::seconds(
      int_at(pod, "/spec/terminationGracePeriodSeconds").value_or(k_default_grace));
}

bool is_final(std::string_view phase) {
  return phase == "Succeeded" || phase == "Failed";
}

bool is_published(const Json& stored, const Json& pod) {
  const Json* there = find(stored, "/status");
  const Json* here = find(pod, "/status");
  return there && here && *there == *here;
}

}  // namespace

PodWorker::PodWorker(KubeletContext& context, Json pod, std::function<void()> over)
    : context_(context), pod_(std::move(pod)), over_(std::move(over)) {
  const auto add = [this](const Json& spec, ContainerRole role) {
    runs_.push_back(
        std::make_unique<ContainerRun>(context_, pod_, spec, role, [this] { look_again(); }));
  };
  for (const Json& spec : array_at(pod_, "/spec/initContainers")) {
    const bool sidecar = text_at(spec, "/restartPolicy") == "Always";
    add(spec, sidecar ? ContainerRole::sidecar : ContainerRole::init);
  }
  for (const Json& spec : array_at(pod_, "/spec/containers")) add(spec, ContainerRole::main);
  has_volumes_ = std::ranges::any_of(runs_, [](const auto& run) { return run->is_alive(); });
  reason_ = text_at(pod_, "/status/reason");
  message_ = text_at(pod_, "/status/message");
  // A former daemon had begun to end it.
  if (!reason_.empty()) end_by_ = context_.loop.now() + grace_of(pod_);
  look_again();
}

void PodWorker::look_at(Time time) {
  if (timer_ && timer_due_ <= time) return;
  timer_due_ = time;
  const Duration pause = std::max(time - context_.loop.now(), Duration::zero());
  timer_ = context_.loop.after(pause, [this] {
    // Kept until the end of this turn, because the timer owns this callable.
    const HandlePtr done = std::move(timer_);
    pass();
  });
}

void PodWorker::look_again() {
  look_at(context_.loop.now());
}

void PodWorker::sources_changed() {
  next_mount_.reset();
  for (const auto& run : runs_) run->try_at_once();
  look_again();
}

void PodWorker::update(const Json& pod) {
  pod_ = pod;
  look_again();
}

void PodWorker::removed() {
  removed_ = true;
  kept_ = keep_ended_pod(context_, pod_);
  end_by_ = context_.loop.now();
  look_again();
}

void PodWorker::shut_down(std::optional<Duration> limit) {
  if (is_final(text_at(pod_, "/status/phase"))) return;
  const Duration own = grace_of(pod_);
  const Time deadline = context_.loop.now() + std::min(own, limit.value_or(own));
  if (may_return()) {
    interrupted_ = true;
    for (const auto& run : runs_) run->note_interruption();
  } else if (!end_by_) {
    end_with("Terminated", "Pod was terminated in response to imminent node shutdown.", deadline);
  }
  end_by_ = std::min(end_by_.value_or(deadline), deadline);
  look_again();
}

// False for a pod that is ending for another reason.
bool PodWorker::may_return() const {
  const bool ending = end_by_ || kube::is_being_deleted(pod_);
  return interrupted_ || (!ending && returns_after_shutdown(context_, pod_));
}

int PodWorker::running() const {
  return static_cast<int>(
      std::ranges::count_if(runs_, [](const auto& run) { return run->is_alive(); }));
}

bool PodWorker::is_over() const {
  const bool leaving = removed_ || kube::is_being_deleted(pod_);
  return is_final(text_at(pod_, "/status/phase")) && !leaving && !timer_ && !is_alive();
}

bool PodWorker::is_alive() const {
  return running() > 0;
}

void PodWorker::end_with(std::string reason, std::string message, Time deadline) {
  if (!reason_.empty()) return;
  reason_ = std::move(reason);
  message_ = std::move(message);
  end_by_ = deadline;
}

// True when no container should run any more.
bool PodWorker::is_settled() const {
  return end_by_ || !reason_.empty() || is_final(text_at(pod_, "/status/phase"));
}

void PodWorker::find_reasons_to_end() {
  const Time now = context_.loop.now();
  if (const auto deletion = parse_time(text_at(pod_, "/metadata/deletionTimestamp"))) {
    const Time latest = now + grace_of(pod_);
    end_by_ = std::min({*deletion, latest, end_by_.value_or(latest)});
  }
  const auto seconds = int_at(pod_, "/spec/activeDeadlineSeconds");
  const auto since = parse_time(text_at(pod_, "/status/startTime"));
  if (is_settled() || !seconds || !since) return;
  const Time deadline = *since + std::chrono::seconds(*seconds);
  if (now < deadline) {
    look_at(deadline);
    return;
  }
  const std::string message = "Pod was active on the node longer than the specified deadline";
  record_event(context_.store, pod_, "Normal", "DeadlineExceeded", message, "kubelet");
  end_with("DeadlineExceeded", message, now + grace_of(pod_));
}

bool PodWorker::have_volumes() {
  const Time now = context_.loop.now();
  if (has_volumes_ || (next_mount_ && now < *next_mount_)) return has_volumes_;
  const auto ready = prepare_volumes(context_, pod_);
  has_volumes_ = ready.has_value();
  if (has_volumes_) return true;
  record_event(context_.store, pod_, "Warning", "FailedMount", ready.error().message, "kubelet");
  constexpr auto k_remount_pause = std::chrono::seconds(8);
  next_mount_ = now + k_remount_pause;
  look_at(*next_mount_);
  return false;
}

void PodWorker::run_containers() {
  if (context_.closing || !have_volumes()) return;
  for (const auto& run : runs_) {
    const ContainerView& container = run->view();
    if (const auto due = run->keep_running(pod_)) look_at(*due);
    const bool done = container.role == ContainerRole::init ? container.has_succeeded()
                                                            : container.started || container.last;
    if (container.role != ContainerRole::main && !done) return;
  }
}

void PodWorker::end_containers() {
  bool main_alive = false;
  for (const auto& run : runs_) {
    if (!run->is_alive() || run->view().role == ContainerRole::sidecar) continue;
    run->ask_to_end(pod_);
    main_alive = true;
  }
  // Sidecars run until the other containers have ended.
  for (const auto& run : runs_) {
    if (!main_alive) run->ask_to_end(pod_);
  }
  if (!is_alive() || !end_by_) return;
  if (context_.loop.now() < *end_by_) {
    look_at(*end_by_);
    return;
  }
  for (const auto& run : runs_) run->kill();
}

void PodWorker::end_sidecars_of_finished_pod() {
  const std::string policy = restart_policy(pod_);
  const PodView now = view();
  const bool finished =
      has_failed_init(now, policy) || std::ranges::all_of(now.containers, [&](const auto& one) {
        return one.role != ContainerRole::main || (one.has_ended() && !will_restart(one, policy));
      });
  if (!finished) return;
  end_by_ = end_by_.value_or(context_.loop.now() + grace_of(pod_));
}

PodView PodWorker::view() const {
  PodView view;
  view.has_volumes = has_volumes_;
  view.has_ended = end_by_ && !is_alive() && !interrupted_;
  view.reason = reason_;
  view.message = message_;
  for (const auto& run : runs_) view.containers.push_back(run->view());
  return view;
}

// A step lasts for its time and one more turn of the loop, in which the other parts of a busy
// daemon catch up.
bool PodWorker::lasts(Step& step) {
  const Time now = context_.loop.now();
  if (now < *step.due) {
    look_at(*step.due);
    return true;
  }
  if (std::exchange(step.had_turn, true)) return false;
  look_again();
  return true;
}

// Reports first that the containers have ended, then that the pod has, because the operator reports
// exit codes and errors only of pods that are not over.
bool PodWorker::holds_phase(const PodView& now) {
  if (!is_final(pod_phase(pod_, now))) return false;
  const Time due = context_.loop.now() + k_shown;
  if (!containers_ended_.due) containers_ended_.due = due;
  if (!context_.closing && lasts(containers_ended_)) return true;
  pod_ended_.due = due;
  return false;
}

void PodWorker::publish() {
  if (removed_ || is_final(text_at(pod_, "/status/phase"))) return;
  PodView now = view();
  now.holds_phase = holds_phase(now);
  const std::string uid = uid_of(pod_);
  modify(context_.store, pod_resource(), namespace_of(pod_), name_of(pod_), [&](Json& stored) {
    if (uid_of(stored) != uid) return;
    Json status = pod_status(stored, now, context_.loop.now());
    // Conditions set by others (DisruptionTarget, readiness gates) are kept.
    for (const Json& condition : array_at(stored, "/status/conditions")) {
      const auto& own = array_at(status, "/conditions");
      const bool known = std::ranges::any_of(own, [&](const Json& one) {
        return text_at(one, "/type") == text_at(condition, "/type");
      });
      if (!known) status["conditions"].push_back(condition);
    }
    stored["status"] = std::move(status);
    pod_ = stored;
  });
  const auto stored = context_.store.get(pod_resource(), namespace_of(pod_), name_of(pod_));
  const bool lost = stored && uid_of(*stored) == uid && !is_published(*stored, pod_);
  constexpr auto k_retry_status = std::chrono::seconds(1);
  if (!lost) return;
  // On a full disk, a status that was not stored is written again.
  pod_ = *stored;
  look_at(context_.loop.now() + k_retry_status);
}

void PodWorker::pass() {
  for (const auto& run : runs_) run->settle(pod_);
  find_reasons_to_end();
  if (!is_settled()) run_containers();
  if (!is_settled()) end_sidecars_of_finished_pod();
  if (is_settled()) end_containers();
  publish();
  if (is_alive()) return;
  const bool deleted = kube::is_being_deleted(pod_);
  if (!removed_ && !deleted) return;
  if (!removed_) {
    if (containers_ended_.due && (!pod_ended_.due || lasts(pod_ended_))) return;
    modify(context_.store, pod_resource(), namespace_of(pod_), name_of(pod_), end_grace);
    // Kept first, so that a client always finds the pod or its log.
    keep_ended_pod(context_, pod_);
    const auto gone = context_.store.remove(pod_resource(), namespace_of(pod_), name_of(pod_));
    if (std::holds_alternative<ApiError>(gone)) look_at(context_.loop.now() + grace_of(pod_));
    return;
  }
  const std::string directory = context_.pod_directory(uid_of(pod_));
  remove_directory(kept_ ? cat(directory, "/.volumes") : directory);
  over_();
}

}  // namespace trainctl::local
