// Handles signals and the reader of stdout for commands that would run for ever.
#include "cli/output/watching.h"

#include <functional>

#include "base/loop/ending_signals.h"

namespace trainctl::cli {

namespace {

// Runs the loop until is_over() is true or `stop` is set.
void run_until(Context& context, std::optional<Error>& stop, const std::function<bool()>& is_over) {
  Loop& loop = context.loop;
  const HandlePtr signals = loop.ending_signals().watch(
      [&stop](const EndingSignal& signal) { stop = Error{signal.code}; });
  const HandlePtr reader =
      loop.on_reader_gone(context.console.out_descriptor(), [&stop] { stop = reader_gone(); });
  loop.run_until([&] { return stop.has_value() || is_over(); });
}

// Reads what is typed where rows are redrawn in place, and reports a q.
class QuitKey {
 public:
  QuitKey(Context& context, std::function<void()> on_quit)
      : console_(context.console), on_quit_(std::move(on_quit)) {
    // Reading in the background would stop the process.
    const bool may_read = console_.in_is_tty && console_.puts_rows() && console_.has_terminal();
    if (may_read) keys_ = context.loop.on_readable(console_.in_descriptor(), [this] { read(); });
  }

 private:
  void read() {
    const auto typed = console_.read_some();
    if (typed && typed->find('q') != std::string::npos) on_quit_();
    if (!typed || typed->empty()) keys_.reset();
  }

  Console& console_;
  std::function<void()> on_quit_;
  HandlePtr keys_;
};

}  // namespace

Status watch_until_stopped(Context& context, std::optional<Error>& stop) {
  bool quits = false;
  const QuitKey key(context, [&quits] { quits = true; });
  run_until(context, stop, [&quits] { return quits; });
  return stop ? Status(*stop) : Status();
}

Result<bool> pause_or_quit(Context& context, Duration time) {
  std::optional<Error> stop;
  bool is_over = false;
  bool quits = false;
  const HandlePtr timer = context.loop.after(time, [&is_over] { is_over = true; });
  const QuitKey key(context, [&quits] { quits = true; });
  run_until(context, stop, [&] { return is_over || quits; });
  if (stop) return *stop;
  return quits;
}

}  // namespace trainctl::cli
