// Reads log files in pieces, starting near the end when only the last lines are requested.
#include "local/kubelet/log_reader.h"

#include <algorithm>
#include <map>
#include <set>

#include <sys/inotify.h>
#include <unistd.h>

#include "base/text/text.h"
#include "local/kubelet/guard.h"
#include "local/kubelet/log_files.h"

namespace trainctl::local {
namespace {
struct WatchedLog {
  std::function<void()> changed;
};
}  // namespace

struct LogWatcher::State {
  explicit State(UvLoop& with) : loop(with) {}
  ~State() {
    events = nullptr;
    if (fd >= 0) ::close(fd);
  }
  void take_events();
  void notify(int directory);

  UvLoop& loop;
  int fd = -1;
  HandlePtr events;
  std::map<int, std::set<std::shared_ptr<WatchedLog>>> watches;  // by inotify's watch descriptor
};

void LogWatcher::State::take_events() {
  alignas(inotify_event) char buffer[16 * 1024];
  std::set<int> changed;
  ssize_t size = 0;
  while ((size = ::read(fd, buffer, sizeof buffer)) > 0) {
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      changed.insert(event->wd);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
  // A lost event (queue overflow, descriptor -1) may concern any directory.
  if (changed.contains(-1)) {
    for (const auto& [directory, all] : watches) changed.insert(directory);
  }
  for (const int directory : changed) notify(directory);
}

void LogWatcher::State::notify(int directory) {
  const auto found = watches.find(directory);
  if (found == watches.end()) return;
  // A callback may end any watch, its own included.
  const auto all = found->second;
  for (const auto& watch : all) {
    if (watch->changed) watch->changed();
  }
}

namespace {

class PollingWatch : public Handle {
 public:
  PollingWatch(UvLoop& loop, std::function<void()> changed)
      : loop_(loop), changed_(std::move(changed)) {
    wait();
  }

 private:
  void wait() {
    constexpr auto k_directory_poll = std::chrono::milliseconds(200);
    timer_ = loop_.after(k_directory_poll, [this] {
      const auto changed = changed_;
      wait();
      changed();
    });
  }
  UvLoop& loop_;
  std::function<void()> changed_;
  HandlePtr timer_;
};

class Cleanup : public Handle {
 public:
  explicit Cleanup(std::function<void()> at_end) : at_end_(std::move(at_end)) {}
  ~Cleanup() override { at_end_(); }

 private:
  std::function<void()> at_end_;
};

}  // namespace

LogWatcher::LogWatcher(UvLoop& loop) : state_(std::make_shared<State>(loop)) {
  state_->fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (state_->fd < 0) return;
  state_->events = loop.on_fd(state_->fd, true, false,
                              [state = state_.get()](bool, bool) { state->take_events(); });
}

LogWatcher::~LogWatcher() = default;

HandlePtr LogWatcher::watch(const std::string& directory, std::function<void()> changed) {
  constexpr std::uint32_t k_mask = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF;
  State& state = *state_;
  const int id = state.fd < 0 ? -1 : ::inotify_add_watch(state.fd, directory.c_str(), k_mask);
  if (id < 0) return std::make_unique<PollingWatch>(state.loop, std::move(changed));
  const auto watch = std::make_shared<WatchedLog>(WatchedLog{std::move(changed)});
  state.watches[id].insert(watch);
  return std::make_unique<Cleanup>([weak = std::weak_ptr(state_), id, watch] {
    watch->changed = nullptr;
    const auto owner = weak.lock();
    if (!owner) return;
    auto& all = owner->watches[id];
    all.erase(watch);
    if (!all.empty()) return;
    owner->watches.erase(id);
    ::inotify_rm_watch(owner->fd, id);
  });
}

LogText::LogText(const LogQuestion& question)
    : timestamps_(question.timestamps),
      since_(question.since ? format_time(*question.since, true) : ""),
      limited_(question.limit_bytes.has_value()),
      left_(static_cast<std::size_t>(question.limit_bytes.value_or(0))) {}

void LogText::take(std::string_view bytes, std::string& text) {
  while (!bytes.empty() && !is_full()) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) {
      begun_ += bytes;
      return;
    }
    if (begun_.empty()) {
      take_record(bytes.substr(0, newline), text);
    } else {
      begun_ += bytes.substr(0, newline);
      take_record(begun_, text);
      begun_.clear();
    }
    bytes.remove_prefix(newline + 1);
  }
}

void LogText::take_record(std::string_view record, std::string& text) {
  // The format is "STAMP stdout F TEXT"; all stamps have the same length and zone, so they compare
  // as text.
  constexpr std::string_view k_example = "2026-11-21T09:31:58.920034043Z stdout F ";
  constexpr std::size_t k_stamp = k_example.find(' ');
  constexpr std::size_t k_tag = k_example.size() - 2;
  if (record.size() < k_example.size()) return;
  const auto stamp = record.substr(0, k_stamp);
  if (stamp < std::string_view(since_)) return;
  std::string line;
  if (timestamps_ && at_line_start_) line = cat(stamp, ' ');
  line += record.substr(k_example.size());
  const bool ends = record[k_tag] == 'F';
  if (ends) line += '\n';
  at_line_start_ = ends;
  if (limited_) {
    line.resize(std::min(line.size(), left_));
    left_ -= line.size();
  }
  text += line;
}

namespace {
constexpr std::size_t k_read_block = 64 * 1024;
}

namespace {

class LogStream : public ApiStream {
 public:
  LogStream(LogWatcher& watcher, const std::string& directory, const LogQuestion& question)
      : text_(question), files_(directory), directory_(directory), follow_(question.follow) {
    // The watch is created before the first read, so that nothing is missed between a read and the
    // wait.
    if (follow_) {
      watch_ = watcher.watch(directory, [this] {
        files_.keep_up();
        if (ready_) ready_();
      });
    }
    if (question.tail_lines) files_.go_to_tail(*question.tail_lines);
    if (!follow_) files_.stop_at_present_end();
  }
  std::optional<std::string> read(std::size_t limit) override;
  void on_ready(std::function<void()> ready) override { ready_ = std::move(ready); }

 private:
  // Reads a block; false at the log's present end.
  bool read_block();

  LogText text_;
  LogFileReader files_;
  std::string directory_;
  bool follow_;
  bool over_ = false;
  std::string waiting_;
  std::size_t given_ = 0;
  std::function<void()> ready_;
  HandlePtr watch_;
};

bool LogStream::read_block() {
  char block[k_read_block];
  const std::size_t count = files_.read(block, sizeof block);
  if (follow_ && files_.has_leapt()) {
    over_ = true;
    return false;
  }
  text_.take({block, count}, waiting_);
  return count > 0;
}

std::optional<std::string> LogStream::read(std::size_t limit) {
  while (given_ == waiting_.size()) {
    waiting_.clear();
    given_ = 0;
    if (text_.is_full()) return std::nullopt;
    if (read_block()) continue;
    if (!follow_ || over_) return std::nullopt;
    // Checked before the last read, so that everything written before the end has been read.
    over_ = ::access(cat(directory_, "/", k_exit_file).c_str(), F_OK) == 0 ||
            ::access(directory_.c_str(), F_OK) != 0;
    if (!over_) return "";
  }
  std::string piece = waiting_.substr(given_, limit);
  given_ += piece.size();
  return piece;
}

}  // namespace

std::unique_ptr<ApiStream> open_log(LogWatcher& watcher, const std::string& directory,
                                    const LogQuestion& question) {
  return std::make_unique<LogStream>(watcher, directory, question);
}

}  // namespace trainctl::local
