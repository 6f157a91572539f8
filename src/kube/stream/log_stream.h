// One request for a container's log, as lines with their time stamps.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/time.h"
#include "kube/client/client.h"

namespace trainctl::kube {

// Splits text at newlines. Lines that lie inside a chunk are passed on without a copy.
class LogLines {
 public:
  // Calls `sink(text, complete)` with each line, without its newline. complete = false marks a
  // piece of a line that continues: 1 MiB of it, or the rest at the stream's end. When it returns
  // false, splitting stops for good. A template, because a call through std::function for each line
  // is measurably slower.
  template <typename Sink>
  void feed(std::string_view chunk, Sink& sink);
  // The stream has ended: emits a last line without newline.
  template <typename Sink>
  void finish(Sink& sink);
  // The current, incomplete line.
  std::string_view rest() const { return rest_; }

 private:
  static constexpr std::size_t k_piece = std::size_t{1} << 20;

  template <typename Sink>
  bool take(std::string_view text, Sink& sink);
  void forget_rest();

  std::string rest_;  // the current line
  bool stopped_ = false;
};

// A log line split into stamp and text: "2026-11-21T09:31:58.920034043Z text".
struct LogLine {
  // Absent in a line that began before the stream did, and in a node's message.
  std::optional<Time> stamp;
  std::string_view stamp_text;  // as the server wrote it, without the space; "" when absent
  std::string_view text;        // without stamp and newline; raw bytes
  // False: the last bytes of the stream had no newline, or the line is longer than 1 MiB and
  // continues in the next LogLine.
  bool complete = true;
};

// Reads RFC 3339 stamps as runtimes write them: any number of fraction digits, 'Z' or an offset.
// Caches the last second, since the lines of a fast log share it.
class StampReader {
 public:
  // Splits off the stamp; without one, text is the whole line.
  LogLine read(std::string_view line);

 private:
  LogLine read_any(std::string_view line);
  bool is_same_second(std::string_view line) const;
  bool read_second(std::string_view line);

  char second_text_[19] = {};
  Time second_{};
};

// The position of a stamp that directly follows an error message, as the kubelet writes when it
// cannot watch the log file ("…too many open files2026-11-21T…"); npos when there is none.
std::size_t glued_stamp(std::string_view line);

template <typename Sink>
void LogLines::feed(std::string_view chunk, Sink& sink) {
  while (!chunk.empty() && !stopped_) {
    const void* found = std::memchr(chunk.data(), '\n', chunk.size());
    if (found == nullptr) {
      take(chunk, sink);
      return;
    }
    const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - chunk.data());
    const std::string_view line = chunk.substr(0, length);
    chunk.remove_prefix(length + 1);
    if (rest_.empty() && length <= k_piece) {
      stopped_ = !sink(line, true);
      continue;
    }
    if (!take(line, sink)) return;
    stopped_ = !sink(rest_, true);
    forget_rest();
  }
}

// Appends to the current line and emits full pieces of it.
template <typename Sink>
bool LogLines::take(std::string_view text, Sink& sink) {
  while (rest_.size() + text.size() > k_piece) {
    const std::size_t missing = k_piece - rest_.size();
    rest_ += text.substr(0, missing);
    text.remove_prefix(missing);
    stopped_ = !sink(rest_, false);
    rest_.clear();
    if (stopped_) return false;
  }
  rest_ += text;
  return true;
}

template <typename Sink>
void LogLines::finish(Sink& sink) {
  if (stopped_) return;
  stopped_ = true;
  if (!rest_.empty()) sink(rest_, false);
}

struct LogQuery {
  std::string ns, pod, container;
  bool follow = false;
  bool previous = false;
  std::optional<Time> since;  // the server rounds down to the second; the reader filters
  std::optional<long> since_seconds = {};  // instead: so long ago by the node's clock
  std::optional<long> tail_lines;
  std::optional<long> limit_bytes;  // including the stamps; may end within a line
  bool insecure_backend = false;    // the API server need not verify the kubelet's certificate
  // Embedded cluster only: the log of exactly this pod, even if another has its name by now, and of
  // exactly this run, even if later ones exist.
  std::string pod_uid = {}, container_id = {};
};

// Takes the answer to one request for a log.
class LineSink {
 public:
  virtual ~LineSink() = default;

  virtual void on_open() {}  // the server answered 200
  virtual void on_line(const LogLine&) = 0;
  // The current line has grown. Reports its new states, as a progress bar leaves them that begins
  // anew at each carriage return: "20%\r30%". The line itself is reported when it has ended.
  virtual void on_progress(std::string_view /*states*/) {}
  // The answer ended; a failure is set for errors. A clean end proves nothing: the kubelet may have
  // died, or the connection between API server and node may have been cut.
  virtual void on_end(const std::optional<Failure>&) = 0;
};

// Sends GET …/pods/POD/log with timestamps=true. A 204 (pod not scheduled) ends cleanly without
// on_open. An error message that the kubelet writes directly before the first line (fsnotify) is
// split off as a line without stamp. `sink` may destroy the handle at any call, and outlives it.
[[nodiscard]] HandlePtr open_log(Client& client, const LogQuery& query, LineSink& sink);

}  // namespace trainctl::kube
