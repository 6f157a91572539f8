// Watches guards by their pidfds.
#include "local/kubelet/runner.h"

#include <csignal>
#include <cstdlib>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "local/kubelet/guard_watch.h"
#include "local/kubelet/process_control.h"

namespace trainctl::local {

AttemptRecord read_attempt(const std::string& directory) {
  AttemptRecord record;
  record.guard = parse_mark(read_small_file(cat(directory, "/", k_guard_file)));
  if (record.guard && !is_alive(*record.guard)) record.guard.reset();
  const Halves time = split_once(read_small_file(cat(directory, "/", k_started_file)), ' ');
  const Halves pipe = split_once(time.second, ' ');
  record.program = parse_mark(pipe.second);
  if (record.program) {
    record.started = Time(Duration(std::strtoll(time.first.c_str(), nullptr, 10)));
    record.output = std::strtoull(pipe.first.c_str(), nullptr, 10);
  }
  record.exit = parse_exit(read_small_file(cat(directory, "/", k_exit_file)));
  return record;
}

namespace {

class GuardedAttempt : public Attempt {
 public:
  GuardedAttempt(UvLoop& loop, std::string directory, std::function<void()> changed)
      : loop_(loop), directory_(std::move(directory)), changed_(std::move(changed)) {}
  ~GuardedAttempt() override {
    watch_ = nullptr;
    ready_watch_ = nullptr;
    if (ready_ >= 0) ::close(ready_);
  }
  const AttemptRecord& record() const override { return record_; }
  void ask_to_end() override { send(SIGTERM); }
  void kill() override { send(SIGUSR1); }

  void watch_new(const StartedGuard& guard);
  void watch_old(const AttemptRecord& record);
  void never_started(const Error& error);

 private:
  void send(int signal) const {
    if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
  }
  void watch_guard(Descriptor pidfd);
  void on_ready();
  void on_end();
  void look_for_start();

  UvLoop& loop_;
  std::string directory_;
  std::function<void()> changed_;
  AttemptRecord record_;
  pid_t child_ = 0;  // a guard that this process started and must reap
  Descriptor pidfd_;
  int ready_ = -1;
  HandlePtr watch_;
  HandlePtr ready_watch_;
};

void GuardedAttempt::watch_guard(Descriptor pidfd) {
  pidfd_ = std::move(pidfd);
  const auto end = [this] { on_end(); };
  if (!pidfd_) {
    watch_ = loop_.after(Duration::zero(), end);
    return;
  }
  watch_ = loop_.on_fd(pidfd_.get(), true, false, [end](bool, bool) { end(); });
}

void GuardedAttempt::watch_new(const StartedGuard& guard) {
  ready_ = guard.ready;
  ready_watch_ = loop_.on_fd(ready_, true, false, [this](bool, bool) { on_ready(); });
  child_ = guard.pid;
  watch_guard(Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, guard.pid, 0))));
}

void GuardedAttempt::on_ready() {
  ready_watch_ = nullptr;
  const auto seen = read_attempt(directory_);
  // The end is reported when the guard is gone.
  if (!seen.started || record_.exit) return;
  record_.guard = seen.guard;
  record_.program = seen.program;
  record_.output = seen.output;
  record_.started = seen.started;
  changed_();
}

void GuardedAttempt::look_for_start() {
  if (record_.started || record_.exit) return;
  constexpr auto k_ready_check = std::chrono::milliseconds(50);
  ready_watch_ = loop_.after(k_ready_check, [this] {
    on_ready();
    look_for_start();
  });
}

void GuardedAttempt::watch_old(const AttemptRecord& record) {
  record_ = record;
  // An exit record counts only once its guard is gone.
  record_.exit.reset();
  watch_guard(record.guard ? open_process(*record.guard) : Descriptor());
  look_for_start();
}

void GuardedAttempt::on_end() {
  watch_ = nullptr;
  ready_watch_ = nullptr;
  if (child_ > 0) ::waitpid(child_, nullptr, WNOHANG);
  record_ = read_attempt(directory_);
  record_.guard.reset();
  if (!record_.exit) {
    // The guard was killed, or the machine went down; the rest of the program must end.
    if (record_.program) kill_remains(*record_.program, record_.output);
    ContainerExit exit;
    exit.code = 128 + SIGKILL;
    exit.signal = SIGKILL;
    exit.started = record_.started;
    exit.finished = loop_.now();
    write_file(cat(directory_, "/", k_exit_file), exit_text(exit));
    record_.exit = exit;
  }
  changed_();
}

void GuardedAttempt::never_started(const Error& error) {
  ContainerExit exit;
  exit.code = 128;
  exit.finished = loop_.now();
  exit.error = error.message;
  write_file(cat(directory_, "/", k_exit_file), exit_text(exit));
  watch_ = loop_.after(Duration::zero(), [this] { on_end(); });
}

}  // namespace

std::unique_ptr<Attempt> start_attempt(UvLoop& loop, const GuardOrder& order,
                                       std::function<void()> changed) {
  auto attempt = std::make_unique<GuardedAttempt>(loop, order.directory, std::move(changed));
  const auto guard = start_guard(order);
  if (guard) {
    attempt->watch_new(*guard);
  } else {
    attempt->never_started(guard.error());
  }
  return attempt;
}

std::unique_ptr<Attempt> adopt_attempt(UvLoop& loop, const std::string& directory,
                                       std::function<void()> changed) {
  // From here on no guard can claim the attempt; one that already has is in the file.
  claim_attempt(directory, k_nobody);
  const auto record = read_attempt(directory);
  const bool nobodys = read_small_file(cat(directory, "/", k_guard_file)) == k_nobody;
  if (nobodys && !record.exit) return nullptr;
  auto attempt = std::make_unique<GuardedAttempt>(loop, directory, std::move(changed));
  attempt->watch_old(record);
  return attempt;
}

}  // namespace trainctl::local
