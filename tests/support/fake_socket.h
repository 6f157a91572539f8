// A scripted WebSocket: what the server sends, and what it waits for in between.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/loop/loop.h"
#include "net/http.h"

namespace trainctl::testing {

struct SocketScript {
  struct Step {
    Duration after{};
    bool awaits = false;  // waits for this text, in what was received; else sends it
    int channel = 0;
    std::string text;
  };
  std::string protocol;  // "" = this exchange is not upgraded
  std::vector<Step> steps;
};

class FakeSocket : public net::WebSocket {
 public:
  // `done`: called behind the last step.
  FakeSocket(Loop& loop, SocketScript script, std::function<void(std::string_view)> on_message,
             std::function<void()> done);
  void start() { next(); }

  const std::string& protocol() const override { return script_.protocol; }
  void send(std::string_view head, std::string_view body) override;
  std::size_t waiting() const override { return 0; }
  void pause(bool paused) override { paused_ = paused; }

 private:
  void next();
  void act();

  Loop& loop_;
  SocketScript script_;
  std::function<void(std::string_view)> on_message_;
  std::function<void()> done_;
  std::vector<std::string> received_;  // by channel
  std::size_t at_ = 0;
  bool paused_ = false;
  HandlePtr timer_;
};

}  // namespace trainctl::testing
