// Compares the lines that came with those that should have come.
#include "logs/gap_detection.h"

#include <algorithm>
#include <utility>

namespace trainctl::job {
namespace {

using std::chrono::seconds;

// An existing log that begins this much later than its container and has this many bytes has most
// likely been rotated (the kubelet's default is 10 MiB a file).
constexpr Duration k_late_begin = seconds(10);
constexpr std::size_t k_long_log = std::size_t{64} << 10;

}  // namespace

void GapDetection::expect(Time file_begin) {
  const Time known = begins_.empty() ? newest_ : begins_.back();
  if (file_begin > std::max(known, newest_)) begins_.push_back(file_begin);
}

std::optional<GapDetection::Leap> GapDetection::meet_begin(Time before, Time stamp) {
  if (stamp == begins_.front()) {
    begins_.erase(begins_.begin());
    leap_.reset();
    return std::nullopt;
  }
  if (!leap_) leap_ = Leap{before, stamp};
  if (stamp < begins_.front() + k_disorder) return std::nullopt;
  begins_.erase(begins_.begin(), std::ranges::upper_bound(begins_, stamp));
  return std::exchange(leap_, std::nullopt);
}

std::optional<GapDetection::Leap> GapDetection::end_stream() {
  begins_.clear();
  return std::exchange(leap_, std::nullopt);
}

void GapDetection::forget() {
  end_stream();
  newest_ = {};
  clock_set_back_ = was_set_back_ = false;
}

std::optional<Duration> GapDetection::late_begin(Time stamp, std::size_t bytes, bool live) {
  if (!begin_) {
    if (live || stamp - *started_ < k_late_begin) {
      started_.reset();
      return std::nullopt;
    }
    begin_ = Begin{stamp};
  }
  begin_->bytes += bytes;
  if (begin_->bytes < k_long_log) return std::nullopt;
  return begin_->first - *std::exchange(started_, std::nullopt);
}

bool GapDetection::take_clock_set_back() {
  was_set_back_ = was_set_back_ || clock_set_back_;
  return std::exchange(clock_set_back_, false);
}

namespace {

constexpr Duration k_interval = std::chrono::seconds(4);
// A file may begin inside a line that the runtime has split at 16 KiB, so the second line is
// needed.
constexpr long k_two_lines = 32 << 10;

}  // namespace

bool RotationProbe::is_time(const Loop& loop) {
  read_ = 0;  // so that the clock is not read for every line
  return !asked_at_ || loop.now() - *asked_at_ >= k_interval;
}

void RotationProbe::ask(kube::Client& client, kube::LogQuery log) {
  asked_at_ = client.loop().now();
  lines_ = 0;
  done_ = nullptr;
  log.limit_bytes = k_two_lines;
  request_ = kube::open_log(client, log, *this);
}

void RotationProbe::ask_last(kube::Client& client, kube::LogQuery log, std::function<void()> done) {
  log.tail_lines = 1;
  done_ = std::move(done);
  request_ = kube::open_log(client, log, *this);
}

void RotationProbe::on_line(const kube::LogLine& line) {
  if (!line.stamp) return;
  if (done_) return gaps_.meet_last(*line.stamp);
  if (++lines_ < 2) return;
  gaps_.expect(*line.stamp);
  request_.reset();
}

// A failed probe needs no handling: the next one finds the same.
void RotationProbe::on_end(const std::optional<kube::Failure>&) {
  const auto over = std::move(request_);
  if (const auto done = std::exchange(done_, nullptr)) done();
}

}  // namespace trainctl::job
