// The production event loop, on libuv: turns, timers, signals and file descriptors.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <stdexcept>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/host.h"
#include "base/loop/ending_signals.h"
#include "base/loop/loop_watcher.h"
#include "base/text/text.h"

namespace trainctl {

namespace {

enum class Calls { once, always };

// Watches the descriptor through one of our own: libuv watches a descriptor only once, and makes it
// non-blocking for everyone who shares it.
class SharedWatch : public Handle {
 public:
  SharedWatch(UvLoop& loop, Descriptor own, Calls calls, std::function<void()> callback)
      : own_(std::move(own)),
        watch_(loop.on_fd(own_.get(), true, false,
                          [this, calls, callback = std::move(callback)](bool, bool) {
                            if (calls == Calls::once) watch_.reset();
                            callback();
                          })) {}

 private:
  Descriptor own_;
  HandlePtr watch_;  // ends before its descriptor is closed
};

// Asks again and again, where no descriptor of our own can say it: at once while there is something
// to read, as in a file, else after a pause.
class Polling : public Handle {
 public:
  Polling(Loop& loop, int fd, Calls calls, std::function<void()> callback)
      : loop_(loop),
        fd_(fd),
        calls_(calls),
        callback_(std::make_shared<std::function<void()>>(std::move(callback))) {
    ask_after(Duration::zero());
  }

 private:
  void ask_after(Duration pause) {
    turn_ = loop_.after(pause, [this, callback = callback_] { ask(*callback); });
  }
  void ask(const std::function<void()>& callback) {
    constexpr Duration k_pause = std::chrono::milliseconds(20);
    const bool wants_input = calls_ == Calls::always;
    pollfd asked{fd_, static_cast<short>(wants_input ? POLLIN : 0), 0};
    const bool is_due = ::poll(&asked, 1, 0) > 0;
    if (!is_due || wants_input) ask_after(is_due ? Duration::zero() : k_pause);
    if (is_due) callback();
  }

  Loop& loop_;
  int fd_;
  Calls calls_;
  std::shared_ptr<std::function<void()>> callback_;
  HandlePtr turn_;
};

HandlePtr watch_shared(UvLoop& loop, int fd, Calls calls, std::function<void()> callback) {
  Descriptor own = host::watch(fd, calls == Calls::always);
  if (!own) return std::make_unique<Polling>(loop, fd, calls, std::move(callback));
  return std::make_unique<SharedWatch>(loop, std::move(own), calls, std::move(callback));
}

bool is_ignored(int signal) {
  struct sigaction present {};
  return sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

bool has_reader(int fd) {
  struct stat facts {};
  return fstat(fd, &facts) == 0 && (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode));
}

// libuv aborts where it gets no pipe for its signals, as when all files of the machine are in use.
void check_pipes() {
  std::array<uv_file, 2> ends{};
  if (const int failed = uv_pipe(ends.data(), 0, 0); failed != 0) {
    throw std::runtime_error(cat("no event loop: ", uv_strerror(failed)));
  }
  for (const uv_file end : ends) ::close(end);
}

}  // namespace

UvLoop::UvLoop() : state_(std::make_unique<State>()) {
  check_pipes();
  if (const int outcome = uv_loop_init(&state_->loop); outcome != 0) {
    throw std::runtime_error(cat("no event loop: ", uv_strerror(outcome)));
  }
  state_->boot = std::chrono::system_clock::now() - host::since_boot();
}

UvLoop::~UvLoop() {
  ending_signals_.reset();
  end_children(state_->loop);
  const auto close = [](uv_handle_t* handle, void*) {
    static_cast<Watcher*>(handle->data)->close();
  };
  // Callables released here may hold Handles, whose watchers then close in turn.
  do {
    uv_walk(&state_->loop, close, nullptr);
    uv_run(&state_->loop, UV_RUN_NOWAIT);
  } while (uv_loop_close(&state_->loop) == UV_EBUSY);
}

// This time advances evenly, also while the machine sleeps. If the system's clock were used and set
// meanwhile, a timer due in a moment could become due in an hour, or a failure of a second seem to
// last hours.
Time UvLoop::now() const {
  return state_->boot + host::since_boot();
}

HandlePtr UvLoop::after(Duration delay, std::function<void()> callback) {
  auto timer = std::make_shared<Callback>();
  timer->call = std::move(callback);
  auto& uv = timer->watcher.uv;
  if (delay <= Duration::zero()) {
    // A delay of 0 uses an idle watcher, because a timer of 0 ms that a timer's callback starts
    // would run in the same turn, and a chain of them would starve the sockets.
    uv_idle_init(&state_->loop, &uv.idle);
    timer->watcher.opened(timer);
    uv_idle_start(&uv.idle, [](uv_idle_t* handle) {
      uv_idle_stop(handle);
      owner_of<Callback>(handle).call();
    });
    return std::make_unique<WatcherHandle<Callback>>(std::move(timer));
  }
  // libuv counts whole milliseconds from the start of the turn; counting from now and rounding up
  // keeps a deadline from coming early.
  uv_update_time(&state_->loop);
  constexpr std::uint64_t k_millisecond = 1'000'000;
  const std::uint64_t due = uv_hrtime() + static_cast<std::uint64_t>(delay.count());
  const std::uint64_t due_ms = (due + k_millisecond - 1) / k_millisecond;
  uv_timer_init(&state_->loop, &uv.timer);
  timer->watcher.opened(timer);
  const auto run = [](uv_timer_t* handle) { owner_of<Callback>(handle).call(); };
  uv_timer_start(&uv.timer, run, due_ms - std::min(due_ms, uv_now(&state_->loop)), 0);
  return std::make_unique<WatcherHandle<Callback>>(std::move(timer));
}

HandlePtr UvLoop::on_signal(int number, std::function<void()> callback) {
  if (number == SIGHUP && is_ignored(number)) return nullptr;
  auto watched = std::make_shared<Callback>();
  watched->call = std::move(callback);
  uv_signal_init(&state_->loop, &watched->watcher.uv.signal);
  watched->watcher.opened(watched);
  const auto run = [](uv_signal_t* handle, int) { owner_of<Callback>(handle).call(); };
  uv_signal_start(&watched->watcher.uv.signal, run, number);
  return std::make_unique<WatcherHandle<Callback>>(std::move(watched));
}

HandlePtr UvLoop::on_writable(int fd, std::function<void()> callback) {
  return on_fd(fd, false, true, [callback = std::move(callback)](bool, bool) { callback(); });
}

HandlePtr UvLoop::on_readable(int fd, std::function<void()> callback) {
  return watch_shared(*this, fd, Calls::always, std::move(callback));
}

HandlePtr UvLoop::on_reader_gone(int fd, std::function<void()> callback) {
  if (!has_reader(fd)) return nullptr;
  return watch_shared(*this, fd, Calls::once, std::move(callback));
}

HandlePtr UvLoop::on_fd(int fd, bool readable, bool writable,
                        std::function<void(bool readable, bool writable)> callback) {
  auto watched = std::make_shared<FdCallback>();
  watched->call = std::move(callback);
  if (uv_poll_init(&state_->loop, &watched->watcher.uv.poll, fd) != 0) {
    throw std::logic_error(cat("file descriptor ", fd, " cannot be watched"));
  }
  watched->watcher.opened(watched);
  const int events = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
  uv_poll_start(&watched->watcher.uv.poll, events, [](uv_poll_t* handle, int status, int ready) {
    // On an error, the callback's next read or write reports it.
    const bool failed = status < 0;
    owner_of<FdCallback>(handle).call(failed || (ready & UV_READABLE) != 0,
                                      failed || (ready & UV_WRITABLE) != 0);
  });
  return std::make_unique<WatcherHandle<FdCallback>>(std::move(watched));
}

HandlePtr UvLoop::spawn(ChildSpec spec, std::function<void(Result<ChildExit>)> done) {
  Result<HandlePtr> started = start_child(state_->loop, spec, done);
  if (started) return *std::move(started);
  return after(Duration::zero(), [done, error = started.error()] { done(error); });
}

void UvLoop::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (uv_run(&state_->loop, UV_RUN_ONCE) == 0 && !done()) {
      throw std::logic_error("the event loop has nothing left to wait for");
    }
  }
}

}  // namespace trainctl
