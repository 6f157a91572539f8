// Asks where the current file of a log begins, and waits for that line in the stream.
#include "job/logs/rotation_probe.h"

#include <algorithm>
#include <utility>

namespace trainctl::job {
namespace {

using std::chrono::seconds;

// Only a log that grows by megabytes is rotated within seconds.
constexpr std::size_t k_busy = std::size_t{256} << 10;
constexpr Duration k_interval = seconds(4);
// The stamps of stdout and stderr cross by a little.
constexpr Duration k_disorder = seconds(2);
// A file may begin within a line that the runtime has split at 16 KiB: the next one counts.
constexpr long k_two_lines = 32 << 10;

}  // namespace

bool RotationProbe::is_due(std::size_t bytes, const Loop& loop) {
  read_ += bytes;
  if (read_ < k_busy) return false;
  read_ = 0;  // so that not every line looks at the clock
  return !asked_at_ || loop.now() - *asked_at_ >= k_interval;
}

void RotationProbe::ask(kube::Client& client, kube::LogQuery log) {
  asked_at_ = client.loop().now();
  lines_ = 0;
  log.limit_bytes = k_two_lines;
  kube::LogHandlers handlers;
  handlers.on_line = [this](const kube::LogLine& line) { on_line(line); };
  // Without an answer the next one tells.
  handlers.on_end = [this](const std::optional<kube::Failure>&) { request_.reset(); };
  request_ = kube::open_log(client, log, std::move(handlers));
}

void RotationProbe::on_line(const kube::LogLine& line) {
  if (!line.stamp || ++lines_ < 2) return;
  const Time known = begins_.empty() ? newest_ : begins_.back();
  if (*line.stamp > std::max(known, newest_)) begins_.push_back(*line.stamp);
  request_.reset();
}

std::optional<RotationProbe::Leap> RotationProbe::meet(Time stamp) {
  const Time before = std::exchange(newest_, std::max(newest_, stamp));
  if (begins_.empty() || stamp < begins_.front()) return std::nullopt;
  if (stamp == begins_.front()) {
    begins_.erase(begins_.begin());
    leap_.reset();
    return std::nullopt;
  }
  if (!leap_) leap_ = Leap{before, stamp};
  if (stamp < begins_.front() + k_disorder) return std::nullopt;
  begins_.erase(begins_.begin(), std::upper_bound(begins_.begin(), begins_.end(), stamp));
  return std::exchange(leap_, std::nullopt);
}

std::optional<RotationProbe::Leap> RotationProbe::end() {
  begins_.clear();
  return std::exchange(leap_, std::nullopt);
}

}  // namespace trainctl::job
