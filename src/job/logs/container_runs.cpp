// Reads container IDs, restart counts and times from successive statuses.
#include "job/logs/container_runs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kube/object/metadata.h"

namespace trainctl::job {
namespace {

bool may_restart(const Json& pod, const Json& status) {
  const std::string phase = text_at(pod, "/status/phase");
  const std::string policy = text_at(pod, "/spec/restartPolicy");
  const bool done = policy == "OnFailure" && int_at(status, "/state/terminated/exitCode") == 0;
  return policy != "Never" && !done && phase != "Succeeded" && phase != "Failed" &&
         !kube::is_being_deleted(pod);
}

}  // namespace

// Like `kubectl logs -f`, a follower begins with the run it comes upon. The run before that one is
// skipped, unless it ended after the follower had come. A status has whole seconds: a run that
// ended in the second of the coming counts as ended before.
bool ContainerRuns::is_past(Time joined) const {
  const auto end = times_.end_of(before_);
  return !current_.empty() && (!end || *end <= joined);
}

bool ContainerRuns::note(const Json& pod, const Json& status, Time now,
                         const std::optional<Time>& joined) {
  note_ids(status, now);
  adopt();
  times_.note(status);
  may_restart_ = may_restart(pod, status);

  if (joined) next_restarts_ = restarts_;
  if (joined && !before_.empty() && is_past(*joined)) known_.insert(before_);
  const bool missed =
      add(before_, !current_.empty(), joined.has_value(), restarts_ - (current_.empty() ? 0 : 1));
  return add(current_, false, joined.has_value(), restarts_) || missed;
}

void ContainerRuns::note_ids(const Json& status, Time now) {
  const std::tuple known(current_, before_, running_);
  restarts_ = static_cast<int>(int_at(status, "/restartCount").value_or(0));
  before_ = text_at(status, "/lastState/terminated/containerID");
  running_ = find(status, "/state/running") != nullptr;
  const bool started = running_ || find(status, "/state/terminated") != nullptr;
  current_ = started ? text_at(status, "/containerID") : "";
  if (known != std::tie(current_, before_, running_)) known_at_ = now;
}

// A run that is being read already finally appears in a status.
void ContainerRuns::adopt() {
  if (current_.empty() || known_.size() != 1 || !known_.contains("")) return;
  known_.insert(current_);
  next_restarts_ = restarts_ + 1;
  read_ = current_;
}

bool ContainerRuns::add(std::string id, bool previous, bool here_before, int restarts) {
  if (id.empty() || !known_.insert(id).second) return false;
  const bool missed = restarts > next_restarts_;
  next_restarts_ = restarts + 1;
  queue_.push_back({std::move(id), previous, here_before, restarts});
  return missed;
}

bool ContainerRuns::note_unreported() {
  if (!none()) return false;
  known_.insert("");
  queue_.push_back({.restarts = restarts_});
  return true;
}

ContainerRuns::Run ContainerRuns::pick(const Json& status, bool previous, Time now) {
  note_ids(status, now);
  times_.note(status);
  return {previous ? before_ : current_, previous, true, restarts_ - int{previous}};
}

std::size_t ContainerRuns::drop_unread() {
  const auto reported =
      std::ranges::count_if(queue_, [](const Run& run) { return !run.id.empty(); });
  queue_.clear();
  return static_cast<std::size_t>(reported);
}

ContainerRuns::Run ContainerRuns::take_next() {
  Run run = std::move(queue_.front());
  queue_.pop_front();
  read_ = run.id;
  return run;
}

std::optional<RunEnd> ContainerRuns::end_of_read() const {
  if (read_.empty()) return std::nullopt;
  const bool removed = !before_.empty() && read_ != before_ && read_ != current_;
  const bool replaced = removed || (!current_.empty() && read_ != current_);
  if (!replaced && running_) return std::nullopt;
  return RunEnd{replaced, removed, may_restart_, times_.end_of(read_), known_at_};
}

// When the run had ended before the lines printed ahead were written, they belong to a later run.
Handover ContainerRuns::handed_to(const Run& run, Handover before) const {
  const auto end = times_.end_of(run.id);
  if (before.ahead && end && *end < before.ahead->first) before.ahead.reset();
  return before;
}

}  // namespace trainctl::job
