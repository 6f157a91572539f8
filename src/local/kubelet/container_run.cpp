// Runs a container like the kubelet's sync of a pod's containers.
#include "local/kubelet/container_run.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/file/small_file.h"
#include "base/text/text.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "local/disk.h"
#include "local/kubelet/container_start.h"
#include "local/kubelet/guard_watch.h"
#include "local/kubelet/kubelet_context.h"
#include "local/kubelet/pod_status.h"
#include "manifest/kind/replica.h"
#include "manifest/kinds/pytorch.h"
#include "manifest/operator/mpi.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::local {
namespace {

// The pause that follows `pause`, which was set at `set`, for a run that ended at `ended`: after a
// run of more than ten minutes, pauses begin anew.
Duration next_pause(Duration pause, std::optional<Time> set, Time ended);

constexpr Duration k_first_pause = std::chrono::seconds(10);
constexpr Duration k_longest_pause = std::chrono::minutes(5);
constexpr Duration k_healthy = std::chrono::minutes(10);

// The pause after `restarts` restarts: none, then 10 s, 20 s, … 5 min.
Duration pause_after(int restarts) {
  Duration pause{};
  for (int i = 0; i < restarts && pause < k_longest_pause; ++i)
    pause = next_pause(pause, {}, Time{});
  return pause;
}

Duration next_pause(Duration pause, std::optional<Time> set, Time ended) {
  if (pause == Duration::zero() || (set && ended - *set > k_healthy)) return k_first_pause;
  return std::min(2 * pause, k_longest_pause);
}

// Prints whole seconds as Go does: "10s", "1m20s", "5m0s".
std::string go_duration(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  return seconds < 60 ? cat(seconds, "s") : cat(seconds / 60, "m", seconds % 60, "s");
}

// Provides a program in place of the kubectl that a launcher of MPI runs. The daemon's directories
// are found by its environment, not by the container's.
constexpr std::string_view k_directories[] = {"HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"};

// Called as `kubectl exec POD [--container NAME] -- COMMAND`.
std::string script(const KubeletContext& context, const std::string& ns) {
  std::string text = "#!/bin/sh\n# Stands in for kubectl: starts a command in another replica.\n";
  for (const std::string_view name : k_directories) {
    const auto value = context.settings.daemon_environment.get(name);
    text +=
        value ? cat("export ", name, "=", shell_quoted(*value), "\n") : cat("unset ", name, "\n");
  }
  text += "[ \"$1\" = exec ] || { echo \"kubectl $1: only exec works here\" >&2; exit 2; }\n";
  text += cat("shift\nexec ", shell_quoted(context.settings.program), " exec --local --namespace ",
              shell_quoted(ns), " --tree-config off \"$@\"\n");
  return text;
}

// Does the work of the init container that delivers kubectl: writes a program of that name to the
// volume that the container mounts. It starts commands in other replicas, as `kubectl exec` does,
// which is all that a launcher asks of it. False when it cannot be written.
bool deliver_kubectl(const KubeletContext& context, const Json& pod, const Json& container) {
  const Json& mounts = array_at(container, "/volumeMounts");
  if (mounts.empty()) return true;
  const std::string directory =
      cat(context.pod_directory(uid_of(pod)), "/.volumes/", text_at(mounts.front(), "/name"));
  const std::string file = cat(directory, "/kubectl");
  return make_directories(directory) && write_file(file, script(context, namespace_of(pod))) &&
         ::chmod(file.c_str(), 0755) == 0;
}

std::string note_path(const std::string& attempt_directory) {
  return cat(attempt_directory, "/interrupted");
}

// The policy of the pod's role in its training job; "" when the pod belongs to none.
std::string policy_in_job(const KubeletContext& context, const Json& pod) {
  const std::string owner = port_owner(pod);
  for (const ServedResource& resource : served_resources()) {
    const job::Kind* kind = resource.job_kind;
    if (kind == nullptr || kind->operated == nullptr) continue;
    const auto id = job::replica_of(*kind, pod);
    if (!id) continue;
    for (const auto& object : context.store.list(resource, namespace_of(pod))) {
      if (uid_of(*object) != owner) continue;
      const job::OperatedJob job = job::operated_job(*kind, *object);
      const auto* role = job.find_role(id->role->name);
      return role == nullptr ? "" : role->restart_policy;
    }
  }
  return "";
}

}  // namespace

bool returns_after_shutdown(const KubeletContext& context, const Json& pod) {
  // The operator keeps the policy ExitCode itself: it deletes a pod that failed by a signal, and
  // with the pod its log, to create it again.
  return restart_policy(pod) != "Never" || policy_in_job(context, pod) == "ExitCode";
}

void note_interruption(const std::string& attempt_directory) {
  // An empty file needs no space on a disk that is full.
  const std::string path = note_path(attempt_directory);
  const Descriptor note(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

namespace {

bool was_interrupted(const std::string& attempt_directory) {
  return ::access(note_path(attempt_directory).c_str(), F_OK) == 0;
}

// Init containers that wait for names, or fetch tools from an image, do not run: names resolve at
// once, and there is no image.
struct NeedlessContainer {
  std::string_view name;
  std::string_view image;  // "" = any
  // Does its work in its place; false when it cannot be done.
  bool (*instead)(const KubeletContext& context, const Json& pod, const Json& container) = nullptr;
};
constexpr NeedlessContainer k_needless[] = {
    {job::k_init_pytorch, job::k_init_pytorch_image},
    {job::k_kubectl_delivery, "", deliver_kubectl},
};

constexpr char k_creating[] = "ContainerCreating";

// nullptr = it has to run.
const NeedlessContainer* find_needless(const ContainerView& container) {
  const auto* const found = std::ranges::find_if(k_needless, [&](const NeedlessContainer& one) {
    return container.role == ContainerRole::init && container.name() == one.name &&
           (one.image.empty() || text_at(container.spec, "/image") == one.image);
  });
  return found == std::end(k_needless) ? nullptr : found;
}

}  // namespace

ContainerRun::ContainerRun(KubeletContext& context, const Json& pod, Json spec, ContainerRole role,
                           std::function<void()> again)
    : context_(context), pod_uid_(uid_of(pod)), again_(std::move(again)) {
  view_.spec = std::move(spec);
  view_.role = role;
  adopt();
}

std::string ContainerRun::directory(int attempt) const {
  return attempt_directory(context_, pod_uid_, view_.name(), attempt);
}

void ContainerRun::adopt() {
  for (const int number : attempts_of(context_, pod_uid_, view_.name())) {
    Instance instance{number, container_id(pod_uid_, view_.name(), number), {}, {}, ""};
    const std::string path = directory(number);
    const auto record = read_attempt(path);
    if (record.exit && !record.guard) {
      instance.started = record.started;
      take_exit(instance, *record.exit);
      view_.last = std::exchange(view_.current, instance);
      continue;
    }
    attempt_ = adopt_attempt(context_.loop, path, again_);
    if (attempt_) {
      next_ = instance;
    } else {
      remove_directory(path);
    }
  }
  const bool interrupted = view_.current && view_.current->interrupted;
  if (interrupted) view_.waiting_reason = k_creating;
  // A run that was interrupted is not a failure to back off from.
  pause_ = pause_after(view_.current && !interrupted ? view_.current->attempt : 0);
}

void ContainerRun::take_exit(Instance& run, const ContainerExit& exit) const {
  const std::string path = directory(run.attempt);
  run.exit = exit;
  run.message = termination_message(view_.spec, path, exit.code);
  run.interrupted = was_interrupted(path);
}

void ContainerRun::record(const Json& pod, std::string_view type, std::string_view reason,
                          std::string_view message) const {
  const bool main = view_.role == ContainerRole::main;
  record_event(context_.store, pod, type, reason, message, "kubelet",
               cat(main ? "spec.containers{" : "spec.initContainers{", view_.name(), "}"));
}

// The next run becomes the current one.
void ContainerRun::start_next() {
  if (!next_) return;
  if (view_.current) view_.last = std::move(view_.current);
  view_.current = std::exchange(next_, std::nullopt);
  view_.waiting_reason.clear();
  view_.waiting_message.clear();
}

void ContainerRun::take_record(const Json& pod, const AttemptRecord& seen) {
  if (seen.started && next_) {
    start_next();
    view_.current->started = seen.started;
    record(pod, "Normal", "Started", cat("Started container ", view_.name()));
  }
  if (!seen.exit) return;
  start_next();
  Instance& run = *view_.current;
  take_exit(run, *seen.exit);
  // Its exit code could be taken for the program's verdict.
  if (run.interrupted) view_.waiting_reason = k_creating;
  attempt_ = nullptr;
  asked_to_end_ = false;
  if (seen.exit->log_is_cut) {
    record(pod, "Warning", "LogIncomplete",
           cat("the last lines of the log were lost: ", disk_is_full(directory(run.attempt))));
  }
  if (seen.exit->error.empty()) return;
  record(pod, "Warning", "Failed", cat("Error: ", seen.exit->error));
  if (!will_restart(view_, restart_policy(pod))) return;
  view_.waiting_reason = "RunContainerError";
  view_.waiting_message = seen.exit->error;
}

void ContainerRun::settle(const Json& pod) {
  if (attempt_) take_record(pod, AttemptRecord(attempt_->record()));
  if (view_.is_running()) view_.started = true;
}

bool ContainerRun::counts_as_done(const Json& pod) {
  const NeedlessContainer* needless = find_needless(view_);
  if (needless == nullptr) return false;
  if (needless->instead && !needless->instead(context_, pod, view_.spec)) return false;
  const std::string path = directory(0);
  const Time now = context_.loop.now();
  ContainerExit exit;
  exit.started = now;
  exit.finished = now;
  make_directories(path);
  claim_attempt(path, k_nobody);
  write_file(cat(path, "/", k_log_file), "");
  write_file(cat(path, "/", k_exit_file), exit_text(exit));
  view_.current = Instance{0, container_id(pod_uid_, view_.name(), 0), now, exit, ""};
  record(pod, "Normal", "Created", cat("Created container: ", view_.name()));
  record(pod, "Normal", "Started", cat("Started container ", view_.name()));
  return true;
}

std::optional<Time> ContainerRun::wait_for_fix(const Json& pod, const std::string& reason,
                                               const std::string& message) {
  constexpr auto k_retry_start = std::chrono::seconds(10);
  next_try_ = context_.loop.now() + k_retry_start;
  view_.waiting_reason = reason;
  view_.waiting_message = message;
  record(pod, "Warning", "Failed", cat("Error: ", message));
  return next_try_;
}

std::optional<Time> ContainerRun::back_off(const Json& pod) {
  const Time ended = view_.current->exit->finished;
  const Time due = ended + pause_;
  const Time now = context_.loop.now();
  // A kubelet looks once a second, so an end is observed before what follows it. Clients rely on
  // it: a run's last second is never the next one's first.
  constexpr auto k_relist = std::chrono::seconds(1);
  if (now < ended + k_relist) return ended + k_relist;
  if (now >= due) return std::nullopt;
  if (view_.waiting_reason == "CrashLoopBackOff") return due;
  const std::string full_name = cat(name_of(pod), "_", namespace_of(pod), "(", pod_uid_, ")");
  view_.waiting_reason = "CrashLoopBackOff";
  view_.waiting_message = cat("back-off ", go_duration(pause_),
                              " restarting failed container=", view_.name(), " pod=", full_name);
  record(pod, "Warning", "BackOff",
         cat("Back-off restarting failed container ", view_.name(), " in pod ", full_name));
  return due;
}

std::optional<Time> ContainerRun::start(const Json& pod) {
  const int number = view_.current ? view_.current->attempt + 1 : 0;
  const std::string path = directory(number);
  remove_directory(path);
  auto plan = plan_start(context_, pod, view_.spec, path);
  const auto* fault = std::get_if<StartFault>(&plan);
  if (fault != nullptr) return wait_for_fix(pod, fault->reason, fault->message);
  const bool made = make_directories(cat(path, "/", k_stage)) &&
                    write_file(cat(path, "/", k_termination_file), "") &&
                    reserve_file(cat(path, "/", k_started_file)) &&
                    reserve_file(cat(path, "/", k_exit_file));
  if (!made) {
    const std::string why = errno == ENOSPC ? disk_is_full(path) : cat("cannot write ", path);
    return wait_for_fix(pod, "CreateContainerError", why);
  }
  record(pod, "Normal", "Created", cat("Created container: ", view_.name()));
  if (view_.current && !view_.current->interrupted) {
    pause_ = next_pause(pause_, pause_set_, view_.current->exit->finished);
    pause_set_ = context_.loop.now();
  }
  next_ = Instance{number, container_id(pod_uid_, view_.name(), number), {}, {}, ""};
  next_try_.reset();
  attempt_ = start_attempt(context_.loop, std::get<GuardOrder>(plan), again_);
  // A kubelet keeps one dead run. Here it is some more: they are read by their IDs.
  if (number > k_kept_runs) remove_directory(directory(number - k_kept_runs - 1));
  return std::nullopt;
}

std::optional<Time> ContainerRun::keep_running(const Json& pod) {
  if (attempt_ || context_.closing) return std::nullopt;
  if (!view_.current && counts_as_done(pod)) return std::nullopt;
  if (view_.has_ended() && !will_restart(view_, restart_policy(pod))) return std::nullopt;
  if (next_try_ && context_.loop.now() < *next_try_) return next_try_;
  if (view_.has_ended()) {
    if (const auto due = back_off(pod)) return due;
  }
  return start(pod);
}

void ContainerRun::ask_to_end(const Json& pod) {
  if (!attempt_ || asked_to_end_) return;
  asked_to_end_ = true;
  attempt_->ask_to_end();
  record(pod, "Normal", "Killing", cat("Stopping container ", view_.name()));
}

void ContainerRun::kill() {
  if (attempt_) attempt_->kill();
}

void ContainerRun::note_interruption() const {
  if (!attempt_) return;
  const std::string path = directory((next_ ? next_ : view_.current)->attempt);
  // A run that has just ended by itself keeps its verdict.
  if (!read_attempt(path).exit) local::note_interruption(path);
}

}  // namespace trainctl::local
