// A shell script in a container. Top-level code reads its output and writes its input piece by
// piece. A script succeeds only after printing its end marker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/ending_signals.h"
#include "kube/stream/remote_process.h"
#include "work/access.h"
#include "work/session/target.h"

namespace trainctl::work {

// The container in which the scripts of one command run, and the state of their connections.
struct Shell {
  Access& access;
  kube::Client& client;
  Target target;
  HandlePtr signals = {};
  std::optional<Error> interruption = {};  // what every wait ends with
  bool has_worked = false;                 // a script has printed its end marker
  bool cut = false;  // the last error was that of a connection: another attempt may succeed

  // From now on, signals end the scripts that are waited for.
  void heed_signals();
};

class Script {
 public:
  // `text` gets the arguments as $1, $2, …; the status of its last command is the script's.
  Script(Shell& shell, std::string_view text, std::vector<std::string> arguments,
         bool input = false);
  ~Script();
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  // Output, valid until the next call; "" when the script has ended and succeeded.
  Result<std::string_view> read();
  // Waits while much of the input is not sent yet. Fails when the script has ended.
  Status write(std::string_view bytes);
  // Like write(), but does not wait: for callers that read in between.
  void send(std::string_view bytes);
  void end_input();
  // Waits for the end, at most for `limit` (Code::timeout), and returns all output.
  Result<std::string> finish(std::optional<Duration> limit = std::nullopt);
  // The lines that the script has written to stderr so far; of very many, the middle is dropped.
  std::vector<std::string> complaints() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainctl::work
