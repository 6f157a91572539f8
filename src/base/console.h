// The terminal or pipe the program talks to: data on stdout, talk on stderr.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl {

enum class Colour { none, red, green, yellow, blue, magenta, cyan, grey, bold };

class Console {
 public:
  virtual ~Console() = default;

  // Writes all bytes to stdout. Code::broken_pipe when the reader is gone, Code::error (with the
  // system's reason) when it cannot be written, as on a full disk.
  virtual Status out(std::string_view bytes) = 0;
  // Writes what stdout takes without waiting, and returns how many bytes that were; 0 = none for
  // now, ask again when out_descriptor() can take bytes. Errors are out()'s.
  virtual Result<std::size_t> offer(std::string_view bytes) = 0;
  virtual int out_descriptor() const = 0;
  // Writes to stderr; failures are ignored, there is nobody left to tell.
  virtual void err(std::string_view bytes) = 0;
  // One line typed by the user; nullopt at end of input. Only where in_is_tty.
  virtual std::optional<std::string> read_line() = 0;
  // All of stdin, at most `limit` bytes (Code::usage beyond).
  virtual Result<std::string> read_all(std::size_t limit) = 0;

  // Facts about the streams; main fills them, tests set them.
  bool in_is_tty = false;
  bool out_is_tty = false;
  bool err_is_tty = false;
  bool colour = false;  // a terminal that wants it: NO_COLOR, TERM=dumb and --no-color say no
  bool quiet = false;   // --quiet: notices are dropped, warnings and errors are not
  int width = 80;       // columns of the terminal

  // Talk, one line each, to stderr.
  void notice(std::string_view text);
  void warn(std::string_view text);

  // The text in colour where stdout (or stderr) is coloured, else as it is.
  std::string painted(std::string_view text, Colour colour) const;
};

}  // namespace trainctl
