// Detects gaps from the time stamps of a log: a skipped rotated file, a late beginning, a clock set
// back.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/loop/loop.h"
#include "base/text/time.h"
#include "kube/client/client.h"
#include "kube/stream/log_stream.h"

namespace trainctl::job {

class GapDetection {
 public:
  // Two adjacent lines between which lines were written but never arrived.
  struct Leap {
    Time after, before;
  };

  // `started` is when the container started; set it only when its log is to be read from there.
  explicit GapDetection(std::optional<Time> started) : started_(started) {}

  // Announces that a file of the log begins with the line of this stamp, so the stream must deliver
  // that line.
  void expect(Time file_begin);
  // Takes in the stamp of a new line, and returns a gap that it reveals.
  std::optional<Leap> meet(Time stamp) {
    clock_set_back_ = clock_set_back_ || stamp < newest_ - k_disorder;
    const Time before = newest_;
    if (stamp > newest_) newest_ = stamp;
    return begins_.empty() || stamp < begins_.front() ? std::nullopt : meet_begin(before, stamp);
  }
  // The stream has ended or resumes at another place: announced lines before its position will not
  // come any more.
  std::optional<Leap> end_stream();

  // Forgets the lines taken in: they belonged to another run.
  void forget();

  // True while the start of the container is known and the log's beginning is not judged yet.
  bool watches_begin() const { return started_.has_value(); }
  // Takes in a line of `bytes` bytes; only while watches_begin(). Returns how long after the
  // container's start the log begins, once the log is long enough to have been rotated. `live` says
  // that the answer had been open for a while, so the line was written just now.
  std::optional<Duration> late_begin(Time stamp, std::size_t bytes, bool live);

  // Takes in the stamp of the log's last line, which the stream may have omitted.
  void meet_last(Time stamp) {
    clock_set_back_ = clock_set_back_ || (!was_set_back_ && stamp < newest_ - k_disorder);
  }
  bool is_clock_set_back() const { return clock_set_back_; }
  // True once after the node's clock was set back: the node omits lines stamped earlier than the
  // time that a request asks for.
  bool take_clock_set_back();
  // True from then on.
  bool was_clock_set_back() const { return was_set_back_; }

 private:
  // The stamps of stdout and stderr can be this far out of order, since the runtime reads the two
  // side by side.
  static constexpr Duration k_disorder = std::chrono::seconds(2);

  std::optional<Leap> meet_begin(Time before, Time stamp);

  struct Begin {
    Time first;
    std::size_t bytes = 0;
  };

  std::optional<Time> started_;  // unset once it is no longer needed
  std::optional<Begin> begin_;
  std::vector<Time> begins_;  // stamps of announced lines, in order
  std::optional<Leap> leap_;  // set when the stream has passed the first announced line
  Time newest_{};
  bool clock_set_back_ = false;
  bool was_set_back_ = false;
};

// Asks where the current file of a busy log begins, so that a skipped rotated file is noticed.
//
// A kubelet that has read a rotated log file to its end continues with the current one. Files
// rotated away between the two are skipped without a word when the node or the path is slower than
// the container (Kubernetes pkg/kubelet/kuberuntime/logs ReadLogs; seen on a busy node).
//
// A file is the current one for ten seconds or longer (the kubelet's containerLogMonitorInterval),
// so asking more often than that finds the beginning of each.
class RotationProbe : public kube::LineSink {
 public:
  explicit RotationProbe(GapDetection& gaps) : gaps_(gaps) {}

  // Counts `bytes` more of the stream as read. Returns true when it is time to ask.
  bool is_due(std::size_t bytes, const Loop& loop) {
    read_ += bytes;
    return read_ >= k_busy && is_time(loop);
  }
  // `log` identifies the container; the probe sets the rest of the query.
  void ask(kube::Client& client, kube::LogQuery log);
  // Asks for the log's last line, which a node whose clock was set back omits from a resumed
  // stream. `done` is called when the GapDetection has met it.
  void ask_last(kube::Client& client, kube::LogQuery log, std::function<void()> done);

 private:
  // Only a log that grows by megabytes is rotated within seconds.
  static constexpr std::size_t k_busy = std::size_t{256} << 10;

  bool is_time(const Loop& loop);
  void on_line(const kube::LogLine& line) override;
  void on_end(const std::optional<kube::Failure>& failure) override;

  GapDetection& gaps_;
  std::size_t read_ = 0;  // bytes since is_due() last checked the time
  std::optional<Time> asked_at_;
  int lines_ = 0;               // lines of the answer
  std::function<void()> done_;  // set while the last line is asked for
  HandlePtr request_;
};

}  // namespace trainctl::job
