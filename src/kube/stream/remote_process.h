// A process in a container and its streams: `exec` and `attach` of the API.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/client/client.h"
#include "kube/stream/channel_stream.h"

namespace trainctl::kube {

struct RemoteQuery {
  std::string ns, pod, container;
  std::vector<std::string> command;  // empty = attach to the container's own program
  bool input = false;                // it gets a stdin
  bool terminal = false;             // on a terminal, where both outputs are one
};

// Our side of a process in a container. Destroying it ends the connection, not the process.
class RemoteProcess : public Handle {
 public:
  // These may be called from on_open on.
  virtual void write(std::string_view bytes) = 0;
  virtual void end_input() = 0;
  virtual void resize(int width, int height) = 0;
  // As of net::WebSocket.
  virtual std::size_t waiting() const = 0;
  virtual void pause(bool paused) = 0;
};

// None runs before start_process() returns; the process may be destroyed inside any of them.
struct RemoteHandlers {
  std::function<void()> on_open;
  std::function<void(std::string_view)> on_output;
  std::function<void(std::string_view)> on_error_output;
  std::function<void()> on_drained;  // as of net::Handlers
  // Called once. An Error: the server refused, or the connection was lost; then the process may
  // still run.
  std::function<void(Result<RemoteEnd>)> on_end;
};

[[nodiscard]] std::unique_ptr<RemoteProcess> start_process(Client& client, const RemoteQuery& query,
                                                           RemoteHandlers handlers);

}  // namespace trainctl::kube
