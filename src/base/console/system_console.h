// The console of the process: three file descriptors and their properties.
#pragma once

#include "base/console/console.h"
#include "base/environment.h"
#include "base/text/time.h"

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

  // After this long without input, read_all() says what it waits for.
  Duration patience = std::chrono::seconds(2);

  ~SystemConsole() override;
  SystemConsole(const SystemConsole&) = delete;
  SystemConsole& operator=(const SystemConsole&) = delete;

  int out_descriptor() const override { return own_out_ >= 0 ? own_out_ : streams_.out; }
  int in_descriptor() const override { return streams_.in; }
  Result<std::string> read_some() override;
  bool has_terminal() override;
  std::optional<std::string> read_line() override;
  Result<std::string> read_all(std::size_t limit) override;

 protected:
  Status write_out(std::string_view bytes) override;
  bool out_is_ready() override;
  Result<std::size_t> offer_out(std::string_view bytes) override;
  void write_err(std::string_view bytes) override;
  void measure() override;

 private:
  void open_own_out();

  StandardStreams streams_;
  bool offered_ = false;
  bool out_waits_ = false;  // a pipe or terminal: writing to streams_.out could block
  // The same stdout, opened a second time as a non-blocking file of our own; the one we were given
  // is shared with other processes, which do not expect it to be non-blocking.
  int own_out_ = -1;
};

}  // namespace trainctl
