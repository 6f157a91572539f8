// Halts the reading of the logs, and answers how far it has come: which logs are still awaited, and
// which were left.
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

void LogSources::let_go() {
  let_go_ = true;
  for (auto& [uid, source] : sources_) {
    if (source.reading) let_go(source);
  }
}

void LogSources::let_go(Source& source) {
  if (source.tail->awaits_end()) source.left_running = true;
  source.tail->let_go();
}

void LogSources::hold(bool back) {
  held_back_ = back;
  for (auto& [uid, source] : sources_) {
    if (!source.reading) continue;
    if (back) {
      source.tail->hold();
    } else {
      source.tail->go_on();
    }
  }
}

}  // namespace trainctl::job
