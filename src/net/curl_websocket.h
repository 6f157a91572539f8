// A WebSocket on a connection that libcurl has established.
#pragma once

#include "net/curl_lane.h"

namespace trainctl::net {

// The parts of its transport that a WebSocket uses; the transport outlives it. `lane` keeps the
// connections.
struct WebSocketHome {
  UvLoop& loop;
  const CurlSettings& settings;
  Learned& learned;
  CurlLane& lane;
};

// Connects as any other request does (TLS, proxy, certificates, time limits), sends the upgrade,
// and then exchanges messages until the server closes the connection.
[[nodiscard]] HandlePtr open_websocket(const WebSocketHome& home, Request request,
                                       Handlers handlers);

}  // namespace trainctl::net
