// The console of the process: three file descriptors and what is known about them.
#pragma once

#include "base/console.h"
#include "base/environment.h"

namespace trainctl {

struct StandardStreams {
  int in = 0;
  int out = 1;
  int err = 2;
};

// Writes return when every byte is written, whether the descriptor blocks or not. The process must
// ignore SIGPIPE, else it dies before out() can say Code::broken_pipe.
class SystemConsole : public Console {
 public:
  explicit SystemConsole(const Environment& environment, StandardStreams streams = {});

  Status out(std::string_view bytes) override;
  void err(std::string_view bytes) override;
  std::optional<std::string> read_line() override;
  Result<std::string> read_all(std::size_t limit) override;

 private:
  StandardStreams streams_;
};

}  // namespace trainctl
