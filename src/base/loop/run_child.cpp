// One child and one timer; the child's handle ends it.
#include "base/loop/run_child.h"

#include <utility>

namespace trainctl {

std::optional<Result<ChildExit>> run_child(Loop& loop, ChildSpec spec, Duration patience) {
  std::optional<Result<ChildExit>> outcome;
  bool is_late = false;
  const HandlePtr child = loop.spawn(
      std::move(spec), [&outcome](Result<ChildExit> exit) { outcome = std::move(exit); });
  const HandlePtr limit = loop.after(patience, [&is_late] { is_late = true; });
  loop.run_until([&] { return outcome.has_value() || is_late; });
  return outcome;
}

}  // namespace trainctl
