// Answers how far the reading of the logs has come: what is still awaited, and what was left.
#include <algorithm>

#include "job/logs/log_sources.h"

namespace trainctl::job {

std::vector<ReplicaId> LogSources::without_pod() const {
  std::vector<ReplicaId> replicas;
  for (const auto& [replica, wanted] : wanted_) {
    if (wanted.printed && wanted.newest_pod.empty()) replicas.push_back(replica);
  }
  return replicas;
}

bool LogSources::lacks_pods() const {
  return std::ranges::any_of(wanted_,
                             [](const auto& entry) { return entry.second.newest_pod.empty(); });
}

bool LogSources::lacks_runs() const {
  return std::ranges::any_of(wanted_, [this](const auto& entry) {
    const auto newest = sources_.find(entry.second.newest_pod);
    if (newest == sources_.end()) return true;
    return newest->second.runs.none() && !newest->second.container.empty();
  });
}

bool LogSources::idle() const {
  return std::ranges::none_of(sources_, [](const auto& entry) {
    return entry.second.reading || entry.second.runs.has_next();
  });
}

std::set<ReplicaId> LogSources::unfinished() const {
  std::set<ReplicaId> replicas;
  for (const auto& [uid, source] : sources_) {
    const bool runs = source.reading && source.tail->awaits_end();
    if (runs || source.left_running) replicas.insert(source.replica);
  }
  return replicas;
}

}  // namespace trainctl::job
