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

Result<bool> pause_or_quit(Context& context, Duration time) {
  Console& console = context.console;
  std::optional<Error> stop;
  bool is_over = false;
  bool quits = false;
  const HandlePtr timer = context.loop.after(time, [&is_over] { is_over = true; });
  HandlePtr keys;
  const auto read = [&] {
    const auto typed = console.read_some();
    quits = typed && typed->find('q') != std::string::npos;
    if (!typed || typed->empty()) keys.reset();
  };
  // Reading in the background would stop the process.
  const bool may_read = console.in_is_tty && console.puts_rows() && console.has_terminal();
  if (may_read) keys = context.loop.on_readable(console.in_descriptor(), read);
  run_until(context, stop, [&] { return is_over || quits; });
  if (stop) return *stop;
  return quits;
}

}  // namespace trainctl::cli
