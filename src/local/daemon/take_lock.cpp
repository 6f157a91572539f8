// Finds out who holds the lock, and whether to wait for it.
#include "local/daemon/take_lock.h"

#include <functional>
#include <optional>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

constexpr Duration k_lock_patience = std::chrono::seconds(60);
constexpr Duration k_lock_tick = std::chrono::milliseconds(5);

// The holder has our state directory but another run-time directory: two sessions of one user, such
// as a desktop's and cron's.
bool serves_elsewhere(const Holder& holder, const Places& places) {
  return !holder.socket.empty() && holder.socket != places.socket &&
         reach(holder.socket) == Reach::accepts;
}

Error lock_taken(const Holder& holder, const Places& places) {
  const std::string where = holder.socket.empty() ? "no socket" : holder.socket;
  const bool elsewhere = serves_elsewhere(holder, places);
  return {Code::error,
          cat("process ", holder.pid, " has ", places.lock(), " and serves on ", where,
              elsewhere ? ": set XDG_RUNTIME_DIR or TMPDIR as it was when that process started"
                        : ", where nobody can reach it: trainctl local down ends that process and "
                          "keeps its jobs"),
          ""};
}

}  // namespace

Error held_by_another(const Places& places) {
  return lock_taken(read_holder(places), places);
}

Result<Descriptor> take_lock(UvLoop& loop, const Places& places) {
  Result<Descriptor> outcome = Descriptor();
  std::optional<bool> decided;
  HandlePtr timer;
  const Time deadline = loop.now() + k_lock_patience;
  std::function<void()> attempt = [&] {
    outcome = try_lock(places);
    decided = !outcome || *outcome || reach(places.socket) == Reach::accepts;
    if (!*decided && serves_elsewhere(read_holder(places), places)) return;
    if (*decided || loop.now() >= deadline) return;
    decided.reset();
    timer = loop.after(k_lock_tick, attempt);
  };
  attempt();
  loop.run_until([&] { return decided.has_value(); });
  if (*decided) return outcome;
  return held_by_another(places);
}

}  // namespace trainctl::local
