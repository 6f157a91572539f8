// Watches directories with inotify on the event loop.
#include "local/kubelet/log_watcher.h"

#include <map>
#include <set>

#include <sys/inotify.h>
#include <unistd.h>

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

}  // namespace trainctl::local
