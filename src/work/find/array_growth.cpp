// Looks at the arrays again from time to time.
#include "work/find/array_growth.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "status/judgement.h"
#include "status/state.h"
#include "work/find/job_lists.h"

namespace trainctl::work {
namespace {

// The creator makes the next job as soon as one has ended.
constexpr Duration k_creator_takes = std::chrono::seconds(30);
constexpr Duration k_look_again = std::chrono::seconds(2);

Time last_change(const std::vector<FoundJob>& jobs) {
  Time last{};
  for (const FoundJob& job : jobs) {
    const job::JobState state = job::judge(*job.kind, job.object, {}, {});
    const auto created = parse_time(job.created());
    last = std::max({last, created.value_or(Time{}), state.since.value_or(Time{})});
  }
  return last;
}

}  // namespace

void ArrayGrowth::add(const job::JobRef& array, const std::vector<FoundJob>& jobs) {
  auto lack = missing_members(jobs, array.name);
  if (!lack) return;
  Array& added = arrays_.emplace_back(Array{array, {}, *std::move(lack), last_change(jobs)});
  for (const FoundJob& job : jobs) added.known.insert(job.uid());
}

std::vector<FoundJob> ArrayGrowth::look() {
  std::vector<FoundJob> fresh;
  std::erase_if(arrays_, [&](Array& array) {
    auto found = find_job_or_array_in_time(access_, array.ref);
    if (!found) return false;
    array.changed = std::max(array.changed, last_change(*found));
    const auto lack = missing_members(*found, array.ref.name);
    if (lack) array.lack = *lack;
    for (FoundJob& job : *found) {
      if (array.known.insert(job.uid()).second) fresh.push_back(std::move(job));
    }
    return !lack.has_value();
  });
  return fresh;
}

std::vector<FoundJob> ArrayGrowth::take(bool idle) {
  if (arrays_.empty()) return {};
  const auto client = access_.client();
  std::vector<FoundJob> fresh = client ? look() : std::vector<FoundJob>();
  bool told = false;
  while (idle && client && fresh.empty() && !arrays_.empty()) {
    const Time now = access_.loop.now();
    const auto is_abandoned = [now](const Array& array) {
      return now - array.changed > k_creator_takes;
    };
    for (Array& array : arrays_) {
      if (is_abandoned(array)) lacking_.emplace_back(array.ref, array.lack);
    }
    std::erase_if(arrays_, is_abandoned);
    if (arrays_.empty()) break;
    if (!std::exchange(told, true)) {
      access_.console.notice(
          cat(arrays_.front().lack.message, "; waiting for the command that creates them"));
    }
    const LimitedCalls limited(access_);
    if (!(*client)->pause(k_look_again)) break;
    fresh = look();
  }
  return fresh;
}

std::vector<std::pair<job::JobRef, Error>> ArrayGrowth::lacking() const {
  auto all = lacking_;
  for (const Array& array : arrays_) all.emplace_back(array.ref, array.lack);
  return all;
}

}  // namespace trainctl::work
