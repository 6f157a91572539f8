// A loop whose time jumps from timer to timer.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text/text.h"
#include "support/fakes.h"

namespace trainctl::testing {

// A cancelled timer stays in the map until its time, and is passed over without moving the clock.
struct FakeLoop::Timer {
  std::function<void()> callback;
  bool cancelled = false;
};

namespace {

// More turns than any test needs: what still runs then waits for something that never comes.
constexpr int k_turns_limit = 1'000'000;

template <typename Timer>
class TimerHandle : public Handle {
 public:
  explicit TimerHandle(std::shared_ptr<Timer> timer) : timer_(std::move(timer)) {}
  ~TimerHandle() override { timer_->cancelled = true; }

 private:
  std::shared_ptr<Timer> timer_;
};

}  // namespace

Time FakeLoop::now() const {
  return now_;
}

HandlePtr FakeLoop::after(Duration delay, std::function<void()> callback) {
  auto timer = std::make_shared<Timer>(Timer{std::move(callback)});
  timers_.emplace(now_ + std::max(delay, Duration::zero()), timer);
  return std::make_unique<TimerHandle<Timer>>(std::move(timer));
}

HandlePtr FakeLoop::on_writable(int /*fd*/, std::function<void()> callback) {
  return after(std::chrono::seconds(1), std::move(callback));
}

namespace {

// Calls back at every tenth of a second.
class Readable : public Handle {
 public:
  Readable(Loop& loop, std::function<void()> callback)
      : loop_(loop), callback_(std::make_shared<std::function<void()>>(std::move(callback))) {
    next();
  }

 private:
  void next() {
    timer_ = loop_.after(std::chrono::milliseconds(100), [this, callback = callback_] {
      next();
      (*callback)();
    });
  }

  Loop& loop_;
  std::shared_ptr<std::function<void()>> callback_;
  HandlePtr timer_;
};

}  // namespace

HandlePtr FakeLoop::on_readable(int /*fd*/, std::function<void()> callback) {
  return std::make_unique<Readable>(*this, std::move(callback));
}

HandlePtr FakeLoop::on_signal(int number, std::function<void()> callback) {
  auto watch = std::make_shared<Timer>(Timer{std::move(callback)});
  signals_.emplace(number, watch);
  return std::make_unique<TimerHandle<Timer>>(std::move(watch));
}

void FakeLoop::raise_after(Duration delay, int number) {
  const auto deliver = [this, number] {
    const auto [first, last] = signals_.equal_range(number);
    std::vector<std::shared_ptr<Timer>> watches;
    for (auto watch = first; watch != last; ++watch) watches.push_back(watch->second);
    for (const auto& watch : watches) {
      if (!watch->cancelled) watch->callback();
    }
  };
  timers_.emplace(now_ + delay, std::make_shared<Timer>(Timer{deliver}));
}

HandlePtr FakeLoop::spawn(ChildSpec spec, std::function<void(Result<ChildExit>)> done) {
  const std::string program = spec.argv.at(0);
  spawned.push_back(std::move(spec));
  const auto child =
      std::find_if(children.begin(), children.end(),
                   [&](const ScriptedChild& scripted) { return scripted.program == program; });
  if (child == children.end() || child->missing) {
    if (child != children.end()) children.erase(child);
    return after(Duration::zero(), [done, program] { done(no_such_program(program)); });
  }
  const ScriptedChild script = *child;
  children.erase(child);
  return after(script.takes, [done, script] { done(ChildExit{script.status, script.output}); });
}

void FakeLoop::run_until(const std::function<bool()>& done) {
  for (int turn = 0; !done(); ++turn) {
    if (timers_.empty()) {
      throw std::logic_error(cat("nothing left to happen at ", format_time(now_)));
    }
    if (turn == k_turns_limit) {
      throw std::logic_error(cat("still waiting after ", turn, " turns, at ", format_time(now_)));
    }
    const auto next = timers_.begin();
    const auto [time, timer] = *next;
    timers_.erase(next);
    if (timer->cancelled) continue;
    now_ = time;
    timer->callback();
  }
}

}  // namespace trainctl::testing
