// Reads the first two lines of the current log.
#include "job/logs/rotation_probe.h"

#include <utility>

namespace trainctl::job {
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

void RotationProbe::ask(kube::Client& client, kube::LogQuery log, GapDetection& gaps) {
  asked_at_ = client.loop().now();
  lines_ = 0;
  log.limit_bytes = k_two_lines;
  kube::LogHandlers handlers;
  handlers.on_line = [this, &gaps](const kube::LogLine& line) {
    if (!line.stamp || ++lines_ < 2) return;
    gaps.expect(*line.stamp);
    request_.reset();
  };
  // A failed probe needs no handling: the next one finds the same.
  handlers.on_end = [this](const std::optional<kube::Failure>&) { request_.reset(); };
  request_ = kube::open_log(client, log, std::move(handlers));
}

void RotationProbe::ask_last(kube::Client& client, kube::LogQuery log, GapDetection& gaps,
                             std::function<void()> done) {
  log.tail_lines = 1;
  kube::LogHandlers handlers;
  handlers.on_line = [&gaps](const kube::LogLine& line) {
    if (line.stamp) gaps.meet_last(*line.stamp);
  };
  handlers.on_end = [this, done = std::move(done)](const std::optional<kube::Failure>&) {
    const auto over = std::move(request_);
    done();
  };
  request_ = kube::open_log(client, log, std::move(handlers));
}

}  // namespace trainctl::job
