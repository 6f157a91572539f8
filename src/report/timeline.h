// When each replica of a run waited, started and ran, as a chart of bars. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "report/html.h"
#include "status/state.h"

namespace trainctl::view {

// failed: a run that ended so. unknown: nothing that is left of the replica says what it did.
enum class Doing { queued, starting, running, failed, unknown };

struct LaneSpan {
  Doing doing = Doing::queued;
  Time begin, end;
};

struct Lane {
  std::string replica;
  std::string words;  // "exited 3, 2 restarts"
  std::vector<LaneSpan> spans = {};
  std::vector<Time> restarts = {};  // those whose time is known
  bool is_culprit = false;
};

struct Timeline {
  static constexpr std::size_t k_most_lanes = 64;

  std::vector<Lane> lanes;
  std::size_t left_out = 0;  // replicas without a lane
};

// Of more than k_most_lanes replicas: the culprit, those that failed or were restarted, and the
// first ones. `culprit`: a replica's name, or "". `until`: now, or when the job ended.
Timeline timeline_of(const Json& job, const job::JobState& state, const std::string& culprit,
                     Time until);

Html timeline_html(const Timeline& timeline);

}  // namespace trainctl::view
