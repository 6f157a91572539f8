// A scripted server for a watch, and everything the watch reported.
#pragma once
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "kube/watch/watch.h"
#include "support/fake_cluster.h"

using namespace trainctl;
using namespace trainctl::kube;
using namespace std::chrono_literals;
using trainctl::testing::Exchange;
using trainctl::testing::FakeCluster;

inline const std::string k_path = "/api/v1/namespaces/team/pods";
using Lines = std::vector<std::string>;

namespace trainctl::testing::watched {
inline Json pod(const std::string& name, const std::string& uid, const std::string& version) {
  return Json{
      {"metadata",
       {{"name", name}, {"namespace", "team"}, {"uid", uid}, {"resourceVersion", version}}}};
}

inline std::string event(std::string_view type, const Json& object) {
  return dump(Json{{"type", type}, {"object", object}}) + "\n";
}

inline std::string bookmark(const std::string& version) {
  return event("BOOKMARK", Json{{"metadata", {{"resourceVersion", version}}}});
}

inline Json failure(int code, std::string_view reason) {
  return Json{{"kind", "Status"},
              {"status", "Failure"},
              {"code", code},
              {"reason", reason},
              {"message", cat("trouble ", code)}};
}

inline Exchange list(const std::string& version, const std::vector<Json>& pods) {
  Exchange exchange;
  exchange.path = k_path;
  exchange.query = {{"limit", "500"}};
  const Json body{
      {"kind", "PodList"}, {"metadata", {{"resourceVersion", version}}}, {"items", pods}};
  exchange.chunks.push_back({{}, dump(body)});
  return exchange;
}

// A watch from `version` that brings events, lasts two seconds and ends cleanly.
inline Exchange watch(const std::string& version, const std::string& events) {
  Exchange exchange;
  exchange.path = k_path;
  exchange.query = {{"watch", "true"}, {"resourceVersion", version}};
  if (!events.empty()) exchange.chunks.push_back({{}, events});
  exchange.ends_after = 2s;
  return exchange;
}

inline Exchange refused_watch(const std::string& version, int code, std::string_view reason) {
  Exchange exchange = watch(version, dump(failure(code, reason)));
  exchange.status = code;
  exchange.ends_after = {};
  return exchange;
}

struct Watched {
  FakeCluster cluster;
  Lines reported;
  std::vector<std::string> troubles;
  std::optional<Error> stopped;
  HandlePtr handle;

  explicit Watched(std::vector<Exchange> exchanges, Duration patience = 5min,
                   std::size_t most_objects = WatchTarget().most_objects)
      : cluster(std::move(exchanges)) {
    WatchHandlers handlers;
    handlers.on_change = [this](const Json& object) { reported.push_back("+" + name_of(object)); };
    handlers.on_gone = [this](const Json& object) { reported.push_back("-" + name_of(object)); };
    handlers.on_listed = [this] { reported.push_back("listed"); };
    handlers.on_trouble = [this](const std::string& notice) { troubles.push_back(notice); };
    handlers.on_stop = [this](const Error& error) { stopped = error; };
    WatchTarget pods{k_pods, "team", {}};
    pods.most_objects = most_objects;
    handle = start_watch(*cluster.client, std::move(pods), handlers, patience);
  }
  static std::string name_of(const Json& object) {
    return cat(text_at(object, "/metadata/name"), "/", text_at(object, "/metadata/uid"), "@",
               text_at(object, "/metadata/resourceVersion"));
  }
  void run(Duration time) {
    bool over = false;
    const HandlePtr timer = cluster.loop.after(time, [&] { over = true; });
    cluster.loop.run_until([&] { return over; });
  }
  int requests(std::string_view part) const {
    int count = 0;
    for (const net::Request& request : cluster.transport->seen) {
      count += request.target.find(part) != std::string::npos ? 1 : 0;
    }
    return count;
  }
  Lines complaints() const { return cluster.transport->complaints(); }
};

}  // namespace trainctl::testing::watched

using namespace trainctl::testing::watched;
