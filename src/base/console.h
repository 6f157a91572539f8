// The terminal or pipe the program talks to: data on stdout, talk on stderr.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl {

enum class Colour { none, red, green, yellow, blue, magenta, cyan, grey, bold };

// What writing to stdout, and waiting to do so, comes to without a reader.
Error reader_gone();

class Console {
 public:
  virtual ~Console() = default;

  // Writes all bytes to stdout. Code::broken_pipe when the reader is gone, Code::error (with the
  // system's reason) when it cannot be written, as on a full disk.
  Status out(std::string_view bytes);
  // Writes what stdout takes without waiting, and returns how many bytes that were; 0 = none for
  // now, ask again when out_descriptor() can take bytes. Errors are out()'s.
  Result<std::size_t> offer(std::string_view bytes);
  virtual int out_descriptor() const = 0;
  // The same of a job's words, such as tables and descriptions: none of them is a command to
  // whoever reads the log.
  Status out_words(std::string_view bytes);
  // Writes to stderr, on a line of its own: where both streams go to the same place, an unfinished
  // line of stdout is ended first, by a newline on stderr. Failures are ignored, since nobody is
  // left to read of them. Nothing of it is a command to whoever reads the log.
  void err(std::string_view bytes);
  // A command to the CI system that reads stderr; what comes from elsewhere in it is escaped.
  void command(std::string_view bytes);
  // One line typed by the user; nullopt at end of input. Only where in_is_tty.
  virtual std::optional<std::string> read_line() = 0;
  // All of stdin, at most `limit` bytes (Code::usage beyond).
  virtual Result<std::string> read_all(std::size_t limit) = 0;

  // Facts about the streams; main fills them, tests set them.
  bool in_is_tty = false;
  bool out_is_tty = false;
  bool err_is_tty = false;
  bool out_is_public = false;  // stdout is a file that other users can read
  bool out_is_err = false;     // both go to the same file, pipe or terminal
  bool colour = false;   // a terminal that wants it: NO_COLOR, TERM=dumb and --no-color say no
  bool quiet = false;    // --quiet: notices are dropped, warnings and errors are not
  bool redraws = false;  // the terminal moves its cursor when told to: TERM=dumb does not
  // GitHub's runner reads what is written, on both streams, and obeys commands in it.
  bool obeyed = false;
  int width = 80;  // columns and lines of the terminal
  int height = 24;

  // Talk, one line each, to stderr. Untrusted words in it cannot drive a terminal, nor begin a
  // line.
  void notice(std::string_view text);
  void warn(std::string_view text);

  // What stays at the bottom of a terminal, below all that out() and err() write meanwhile. There
  // is one such thing at a time, cut to the terminal's size.
  //
  // A line on stderr that says what is being waited for; "" takes it away. Dropped where
  // shows_status() is false: in pipes and files, on dumb terminals, with --quiet.
  void set_status(std::string_view text);
  bool shows_status() const { return err_is_tty && redraws && !quiet; }
  // Lines on stdout that take the place of those put before. Only where puts_rows().
  Status put_rows(std::string_view lines);
  bool puts_rows() const { return out_is_tty && redraws; }
  // The end of it: a status goes, rows stay where they are.
  void unpin();

  // The text in colour where stdout (or stderr) is coloured, else as it is.
  std::string painted(std::string_view text, Colour colour) const;

 protected:
  virtual Status write_out(std::string_view bytes) = 0;
  virtual bool out_is_ready() = 0;  // to take some bytes without waiting
  virtual Result<std::size_t> offer_out(std::string_view bytes) = 0;
  virtual void write_err(std::string_view bytes) = 0;
  // Brings width and height up to date: people resize their windows.
  virtual void measure() {}

 private:
  enum class Stream { out, err };

  bool shares_place() const { return out_is_err || (out_is_tty && err_is_tty); }
  bool is_terminal(Stream stream) const { return stream == Stream::out ? out_is_tty : err_is_tty; }
  std::string talk(std::string_view text) const;
  Status write(Stream stream, std::string_view bytes);
  Status write_raw(Stream stream, std::string_view bytes);
  Status pin(Stream stream, std::string text);
  std::string erasure();
  std::string drawing();

  std::string pinned_;  // as drawn
  Stream pinned_to_ = Stream::err;
  bool drawn_ = false;
  bool out_open_ = false;   // what stdout got last was no end of a line
  bool line_open_ = false;  // the terminal's cursor stands behind an unfinished line
};

}  // namespace trainctl
