// Reads the states that the kubelet keeps of a container: the present one and the last.
#include "job/status/run_times.h"

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

}  // namespace trainctl::job
