// A connection to a port in a pod: `portforward` of the API.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/client/client.h"

namespace trainctl::kube {

// Destroying it closes the connection.
class PortStream : public Handle {
 public:
  // These may be called from on_open on.
  virtual void write(std::string_view bytes) = 0;
  // As of net::WebSocket.
  virtual std::size_t waiting() const = 0;
  virtual void pause(bool paused) = 0;
};

// None runs before open_port() returns; the stream may be destroyed inside any of them.
struct PortHandlers {
  std::function<void()> on_open;
  std::function<void(std::string_view)> on_data;
  std::function<void()> on_drained;
  // Called once. ok: the program in the pod has closed the connection. The failure of a request
  // that the server refused has its refusal.
  std::function<void(std::optional<Failure>)> on_end;
};

// Uses one WebSocket for the connection and the older of the protocols for ports, which every
// server speaks: the newer one is SPDY inside of WebSocket messages.
[[nodiscard]] std::unique_ptr<PortStream> open_port(Client& client, std::string_view ns,
                                                    std::string_view pod, int port,
                                                    PortHandlers handlers);

// "error forwarding port 80 to pod …: failed to connect to localhost:80 …: connection refused" in
// words for the user. `port`: the pod's.
Error port_fault(std::string_view words, std::string_view pod, int port);

}  // namespace trainctl::kube
