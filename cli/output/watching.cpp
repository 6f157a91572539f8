// Handles signals and the reader of stdout for commands that would run for ever.
#include "cli/output/watching.h"

#include <csignal>

namespace trainctl::cli {

Status watch_until_stopped(Context& context, std::optional<Error>& stop) {
  const auto stop_with = [&stop](const Error& error) { return [&stop, error] { stop = error; }; };
  Loop& loop = context.loop;
  const HandlePtr interrupt = loop.on_signal(SIGINT, stop_with({Code::interrupted}));
  const HandlePtr terminate = loop.on_signal(SIGTERM, stop_with({Code::terminated}));
  const HandlePtr reader =
      loop.on_reader_gone(context.console.out_descriptor(), stop_with(reader_gone()));
  loop.run_until([&stop] { return stop.has_value(); });
  return *stop;
}

}  // namespace trainctl::cli
