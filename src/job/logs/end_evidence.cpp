// Counts answers that ended after the newest line, and those that ended before it.
#include "job/logs/end_evidence.h"

#include <utility>

namespace trainctl::job {
namespace {

constexpr int k_looks_at_end = 6;

}  // namespace

EndEvidence::Next EndEvidence::ended(const Answer& answer) {
  const Last now = answer.behind_newest ? Last::behind_newest : Last::before_newest;
  const Last before = std::exchange(last_, now);
  drained_ = drained_ || answer.drains;
  if (!answer.drains) return Next::read_on;
  if (now == Last::before_newest) return ++looks_ < k_looks_at_end ? Next::look_again : Next::lost;
  return answer.suffices || before == Last::behind_newest ? Next::whole : Next::confirm;
}

}  // namespace trainctl::job
