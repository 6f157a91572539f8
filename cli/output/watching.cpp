// Handles signals and the reader of stdout for commands that would run for ever.
#include "cli/output/watching.h"

#include "base/loop/ending_signals.h"

namespace trainctl::cli {

Status watch_until_stopped(Context& context, std::optional<Error>& stop) {
  Loop& loop = context.loop;
  const std::vector<HandlePtr> signals =
      on_ending_signals(loop, [&stop](const EndingSignal& signal) { stop = Error{signal.code}; });
  const HandlePtr reader =
      loop.on_reader_gone(context.console.out_descriptor(), [&stop] { stop = reader_gone(); });
  loop.run_until([&stop] { return stop.has_value(); });
  return *stop;
}

}  // namespace trainctl::cli
