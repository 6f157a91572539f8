// The program's one event loop: time, timers, signals, children and sockets on a single thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "base/text/time.h"

namespace trainctl {

class EndingSignals;

// A pending operation on the loop. Destroying the handle cancels the operation: its callback will
// not run any more. A callback may destroy its own handle; the callable itself lives until it has
// returned.
class Handle {
 public:
  virtual ~Handle() = default;
};
using HandlePtr = std::unique_ptr<Handle>;

struct ChildSpec {
  std::vector<std::string> argv;  // argv[0] is looked up on PATH unless it has a '/'; never a shell
  Environment environment;        // the child's whole environment
  std::string directory;          // "" = ours
  std::string input;              // for its stdin, by a pipe; it need not read it
  bool inherit_stdin = false;     // without input; else /dev/null
  std::size_t output_limit = 1 << 20;  // bytes of stdout kept; more is an error
};
struct ChildExit {
  int status = 0;  // exit code, or 128 + signal
  std::string output;
};

// The error of spawn for a missing program, the same from every Loop.
Error no_such_program(std::string_view program);

// The interface for time and waiting, replaced in tests. Callbacks run only inside run_until; they
// must not call it.
class Loop {
 public:
  Loop();
  virtual ~Loop();

  virtual Time now() const = 0;
  // Runs the callback once after `delay` (0 = on the next turn).
  [[nodiscard]] virtual HandlePtr after(Duration delay, std::function<void()> callback) = 0;
  // Runs the callback at every arrival of the signal while the handle lives. A SIGHUP that was
  // ignored when the program began (nohup) stays ignored: nullptr.
  [[nodiscard]] virtual HandlePtr on_signal(int number, std::function<void()> callback) = 0;
  // Starts a child, which shares our stderr. Code::not_found when there is no such program.
  // Destroying the handle ends the child with SIGTERM, and with SIGKILL if it does not obey. No
  // child outlives the loop.
  [[nodiscard]] virtual HandlePtr spawn(ChildSpec spec,
                                        std::function<void(Result<ChildExit>)> done) = 0;
  // Runs the callback whenever fd is writable, while the handle lives. Not for regular files.
  [[nodiscard]] virtual HandlePtr on_writable(int fd, std::function<void()> callback) = 0;
  // Runs the callback whenever fd has something to read or has ended, while the handle lives. A
  // file always has. Shares fd with other processes without changing it for them.
  [[nodiscard]] virtual HandlePtr on_readable(int fd, std::function<void()> callback) = 0;
  // Runs the callback once, when a pipe or socket has no reader any more; fd may be watched
  // otherwise at the same time. For files and terminals it never runs.
  [[nodiscard]] virtual HandlePtr on_reader_gone(int fd, std::function<void()> callback) = 0;
  // Processes events until done() is true. Only top-level code calls this.
  virtual void run_until(const std::function<bool()>& done) = 0;

  // Listens for the signals that end a command, from the first call to the end of the program.
  EndingSignals& ending_signals();
  // The same, but nullptr if nobody has listened yet, so that a signal kills the process.
  EndingSignals* known_ending_signals() const { return ending_signals_.get(); }

 protected:
  std::unique_ptr<EndingSignals> ending_signals_;
};

// The real loop (libuv), which can also watch file descriptors for curl.
class UvLoop : public Loop {
 public:
  UvLoop();
  ~UvLoop() override;
  Time now() const override;
  HandlePtr after(Duration delay, std::function<void()> callback) override;
  HandlePtr on_signal(int number, std::function<void()> callback) override;
  HandlePtr spawn(ChildSpec spec, std::function<void(Result<ChildExit>)> done) override;
  HandlePtr on_writable(int fd, std::function<void()> callback) override;
  HandlePtr on_readable(int fd, std::function<void()> callback) override;
  HandlePtr on_reader_gone(int fd, std::function<void()> callback) override;
  void run_until(const std::function<bool()>& done) override;

  // Calls back while fd is readable and/or writable, until the handle is destroyed. One handle per
  // fd at a time; regular files cannot be watched (throws).
  [[nodiscard]] HandlePtr on_fd(int fd, bool readable, bool writable,
                                std::function<void(bool readable, bool writable)> callback);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Starts an operation whose end calls back, and runs the loop until it has.
//   auto answer = await<Result<Json>>(loop, [&](auto done) { return client.fetch(request, done);
//   });
template <typename T, typename Start>
T await(Loop& loop, Start start) {
  std::optional<T> outcome;
  HandlePtr handle = start([&outcome](T value) { outcome.emplace(std::move(value)); });
  loop.run_until([&outcome] { return outcome.has_value(); });
  return *std::move(outcome);
}

}  // namespace trainctl
