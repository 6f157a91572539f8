// Keeps the state of a collection current: list, watch, resume, and list again when the version is
// lost.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "kube/client/client.h"

namespace trainctl::kube {

// Splits a stream of JSON values, one per line, that arrives in arbitrary chunks.
class JsonLines {
 public:
  // Calls `on_line` with every complete line that is not blank; when it returns false, the rest of
  // the chunk and everything buffered is dropped. Code::unreachable for a line above 64 MiB.
  Status feed(std::string_view chunk, const std::function<bool(std::string_view)>& on_line);

 private:
  std::string rest_;
};

struct WatchHandlers {
  // The object is new or changed. Each state of an object (uid and resourceVersion) is reported
  // once.
  std::function<void(const Json& object)> on_change;
  // The object is gone. Passes its last state when the server sent it, else only its identity. When
  // a name comes back with a new uid, the old object is reported gone first.
  std::function<void(const Json& object)> on_gone;
  // The first list, or a later one, has been reported completely.
  std::function<void()> on_listed;
  // Optional: the changes since the last list are lost, and a new one is read. Objects that came
  // and went in between are never reported.
  std::function<void()> on_history_lost = {};
  // Optional: changes since the last watch ended follow now, state after state. Each state may long
  // be outdated when it is reported.
  std::function<void()> on_resumed = {};
  // A problem that is being waited out: "cluster not reachable (connection refused); trying again
  // in 4 s". Called once more with "" when it is over.
  std::function<void(const std::string& notice)> on_trouble;
  // The watch cannot continue: not permitted, not found, too many objects, or failing for longer
  // than `patience`.
  std::function<void(Error)> on_stop;
};

struct WatchTarget {
  Resource resource;
  std::string ns;  // "" = all namespaces
  ListOptions options;
  net::Lane list_lane = net::Lane::control;  // lane of its lists; changes use the control lane
  // A server that reports more, none of them gone, would take all memory. A list has no more.
  std::size_t most_objects = 250'000;
};

// Lists, then watches from the list's resourceVersion with bookmarks, until the handle is
// destroyed. Clean ends and cut connections are resumed from the last version. Lists again and
// reports the differences when the server does not know the version: it says so (410, or "Too large
// resource version", in the header or in the stream), ends two watches in a row at once without an
// event, or sends nothing for five minutes. Delays start at 0.5 s and double to 8 s; Retry-After is
// obeyed.
[[nodiscard]] HandlePtr start_watch(Client& client, WatchTarget target, WatchHandlers handlers,
                                    Duration patience = std::chrono::minutes(5));

// Lists a collection once as it is now, for a caller that lives in callbacks. Reads all pages at
// the latest version, and waits out problems as a watch does (kube/watch/watch.h). `done` gets what
// could be read, nothing when the list is refused. The handle may be destroyed in it.
[[nodiscard]] HandlePtr start_current_list(Client& client, WatchTarget target,
                                           std::function<void(std::vector<Json> objects)> done);

}  // namespace trainctl::kube
