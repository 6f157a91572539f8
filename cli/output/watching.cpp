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

}  // namespace

Status watch_until_stopped(Context& context, std::optional<Error>& stop) {
  run_until(context, stop, [] { return false; });
  return *stop;
}

Status pause(Context& context, Duration time) {
  std::optional<Error> stop;
  bool is_over = false;
  const HandlePtr timer = context.loop.after(time, [&is_over] { is_over = true; });
  run_until(context, stop, [&is_over] { return is_over; });
  return stop ? Status(*stop) : Status{};
}

}  // namespace trainctl::cli
