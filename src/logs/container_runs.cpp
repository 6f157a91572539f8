// Reads container IDs, restart counts and times from successive statuses.
#include "logs/container_runs.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

void keep(std::map<std::string, Time>& times, const std::string& run, std::string_view text) {
  if (const auto time = parse_time(text)) times[run] = *time;
}

std::optional<Time> time_of(const std::map<std::string, Time>& times, const std::string& run) {
  const auto found = times.find(run);
  return found == times.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void RunTimes::note(const Json& status) {
  keep(started_, text_at(status, "/containerID"), text_at(status, "/state/running/startedAt"));
  for (const char* place : {"/state/terminated", "/lastState/terminated"}) {
    const Json* terminated = find(status, place);
    if (terminated == nullptr) continue;
    const std::string run = text_at(*terminated, "/containerID");
    keep(started_, run, text_at(*terminated, "/startedAt"));
    keep(finished_, run, text_at(*terminated, "/finishedAt"));
  }
}

std::optional<Time> RunTimes::start_of(const std::string& container_id) const {
  return time_of(started_, container_id);
}

std::optional<Time> RunTimes::end_of(const std::string& container_id) const {
  return time_of(finished_, container_id);
}

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

Result<LogContainer> log_container(const Kind& kind, const Json& pod, const std::string& replica,
                                   const std::string& asked) {
  const std::vector<std::string> there = container_names(pod);
  const auto has = [&there](const std::string& name) {
    return std::ranges::find(there, name) != there.end();
  };
  if (!asked.empty()) {
    if (there.empty() || has(asked)) return LogContainer{asked, ""};
    return Error{Code::not_found,
                 cat(replica, " has no container ", asked, ": it has ", join(there, ", ")),
                 "leave out -c for the training container"};
  }
  const std::string main = main_container(kind, pod);
  const std::string named = text_at(pod, kube::annotation_pointer(k_default_container));
  if (named.empty() || has(named)) return LogContainer{named.empty() ? main : named, ""};
  return LogContainer{main, cat("the annotation ", k_default_container, " names a container ",
                                printable_line(named), " that does not exist; showing ", main)};
}

bool may_have_begun(const Json& pod, std::string_view container) {
  if (text_at(pod, "/spec/nodeName").empty()) return false;
  const Json* status = container_status(pod, container);
  if (status == nullptr) return true;
  const std::string reason = text_at(*status, "/state/waiting/reason");
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

}  // namespace trainctl::job
