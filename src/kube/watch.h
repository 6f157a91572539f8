// The state of a collection, kept current: list, watch, resume, list again when that is too old.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "kube/client.h"

namespace trainctl::kube {

struct WatchHandlers {
  // The object is new or changed. The same state of an object (uid and
  // resourceVersion) is told once.
  std::function<void(const Json& object)> on_change;
  // The object is gone. Its last state when the server told that, else only what names it. A name
  // that comes back with a new uid is first this.
  std::function<void(const Json& object)> on_gone;
  // The first list, and each later one, has been told in full.
  std::function<void()> on_listed;
  // Optional: the changes since the last one are lost, a new list is read. What came and went
  // between is not in it.
  std::function<void()> on_history_lost = {};
  // Optional: what has changed since the last watch ended comes now, state after state. Each may
  // have been over for long when it is told.
  std::function<void()> on_resumed = {};
  // Trouble that is being waited out: "cluster not reachable (connection refused); trying again in
  // 4 s". Once more with "" when it is over.
  std::function<void(const std::string& notice)> on_trouble;
  // It cannot go on: not permitted, not found, or in trouble for longer than `patience`.
  std::function<void(Error)> on_stop;
};

struct WatchTarget {
  Resource resource;
  std::string ns;  // "" = all namespaces
  ListOptions options;
  net::Lane list_lane = net::Lane::control;  // that its lists come by; changes come by control
};

// Lists, then watches from the list's resourceVersion with bookmarks, until destroyed.
// Clean ends and cut connections are resumed from the last version; 410 (in the header or in the
// stream) lists again and tells the difference. Waits: 0.5 s doubling to 8 s, Retry-After obeyed.
[[nodiscard]] HandlePtr start_watch(Client& client, WatchTarget target, WatchHandlers handlers,
                                    Duration patience = std::chrono::minutes(5));

}  // namespace trainctl::kube
