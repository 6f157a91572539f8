// The terminal or pipe the program writes to: data on stdout, messages on stderr.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "base/text/terminal_text.h"

namespace trainctl {

class Loop;

enum class Colour { none, red, green, yellow, blue, magenta, cyan, grey, bold };

// The error of writing to stdout, or waiting to, after its reader has gone away.
Error reader_gone();

class Console {
 public:
  virtual ~Console() = default;

  // Writes text to stdout. Commands in it to a terminal, or to the CI system that reads stdout, are
  // made harmless; colours are kept. Code::broken_pipe when the reader is gone, Code::error (with
  // the system's reason) when it cannot be written, as on a full disk.
  Status out(std::string_view text);
  // The same for JSON, and for the output of to_yaml: text that could be a command is escaped, so
  // that the value stays the same.
  Status out_json(std::string json);
  // The text as out() and out_json() write it, for callers of offer().
  std::string as_out(std::string_view text) const;
  std::string json_as_out(std::string json) const;
  // Writes what stdout accepts without blocking, unchanged, and returns the number of bytes. 0 =
  // none now; try again when out_descriptor() is writable. Errors are those of out().
  Result<std::size_t> offer(std::string_view bytes);
  virtual int out_descriptor() const = 0;
  // Writes to stderr, on a line of its own: where both streams go to the same place, an unfinished
  // line of stdout is ended first, by a newline on stderr. Failures are ignored, since nobody is
  // left to read about them. Commands in it to a CI system that reads the log are made harmless.
  void err(std::string_view bytes);
  // Writes a command to the CI system that reads stderr; outside text in it must be escaped.
  void command(std::string_view bytes);
  // stdin, for Loop::on_readable; -1 = there is none.
  virtual int in_descriptor() const { return -1; }
  // Reads what stdin has now, at most 64 KiB; "" at its end. Waits while it has nothing.
  virtual Result<std::string> read_some() { return std::string(); }
  // False while another program has the terminal, such as the shell after Ctrl-Z and `bg`: nothing
  // is pinned then.
  virtual bool has_terminal() { return true; }
  // Reads one line typed by the user; nullopt at end of input. Only where in_is_tty.
  virtual std::optional<std::string> read_line() = 0;
  // Reads all of stdin, at most `limit` bytes (Code::usage beyond).
  virtual Result<std::string> read_all(std::size_t limit) = 0;

  // Facts about the streams; main fills them, tests set them.
  bool in_is_tty = false;
  bool out_is_tty = false;
  bool err_is_tty = false;
  bool out_is_file = false;  // stdout is a regular file: nothing executes its content
  bool out_is_err = false;   // both go to the same file, pipe or terminal
  bool colour = false;       // colours are wanted: not with NO_COLOR, TERM=dumb or --no-color
  bool quiet = false;        // --quiet: notices are dropped, warnings and errors are not
  bool redraws = false;      // the terminal obeys cursor movements: TERM=dumb does not
  // Whether the terminal shows OSC 9;4 in its tab: others ignore the sequence, or print it.
  enum class TabProgress { unknown, shown } tab_progress = TabProgress::unknown;
  CiSystem ci = CiSystem::none;  // executes the commands that it finds in the streams
  int width = 80;                // columns and lines of the terminal
  int height = 24;

  // A pipe behind stdout, as in `| tee`, may write to the terminal of stderr, where it would write
  // into what is drawn.
  bool is_one_screen() const { return out_is_tty && err_is_tty; }

  // Write messages to stderr, one line each. Untrusted text in them cannot control a terminal, nor
  // begin a line.
  void notice(std::string_view text);
  void warn(std::string_view text);

  // Text pinned to the bottom of a terminal, below everything that out() and err() write meanwhile.
  // There is one such text at a time, cut to the terminal's size.
  //
  // Shows a status line on stderr that says what is being waited for; "" removes it. Ignored where
  // shows_status() is false: where stdout or stderr is a pipe or a file, on dumb terminals, with
  // --quiet.
  void set_status(std::string_view text);
  // The same with several lines, which are shown as they are, but cut; outside text in them must be
  // printable. Takes at most a third of the height. `done`, 0 to 1, is shown in the terminal's tab
  // where the terminal can.
  void set_region(std::vector<std::string> lines, std::optional<double> done = {});
  // So many lines it takes at most.
  std::size_t region_room();
  bool shows_status() const { return is_one_screen() && redraws && !quiet; }
  // Writes rows on stdout that replace those written before. Only where puts_rows().
  Status put_rows(std::string_view lines);
  bool puts_rows() const { return is_one_screen() && redraws; }
  // The number of rows that fit on the screen.
  std::size_t row_room();
  // The terminal's size as it is now.
  struct Size {
    int width = 0;
    int height = 0;
  };
  Size size() {
    measure();
    return {width, height};
  }
  // Ends pinning: a status is removed, rows stay where they are.
  void unpin();

  // The text in colour where stdout (or stderr) is coloured, else unchanged.
  std::string painted(std::string_view text, Colour colour) const;
  // The CI system that reads stdout; none reads a regular file.
  CiSystem out_reader() const { return out_is_file ? CiSystem::none : ci; }

 protected:
  virtual Status write_out(std::string_view bytes) = 0;
  virtual bool out_is_ready() = 0;  // stdout accepts some bytes without blocking
  virtual Result<std::size_t> offer_out(std::string_view bytes) = 0;
  virtual void write_err(std::string_view bytes) = 0;
  // Updates width and height, since users resize their windows.
  virtual void measure() {}

 private:
  enum class Stream { out, err };

  bool shares_place() const { return out_is_err || (out_is_tty && err_is_tty); }
  bool is_terminal(Stream stream) const { return stream == Stream::out ? out_is_tty : err_is_tty; }
  std::string talk(std::string_view text) const;
  Status write(Stream stream, std::string_view bytes);
  Status write_raw(Stream stream, std::string_view bytes);
  Status pin(Stream stream, std::string text, std::string_view also = "");
  std::string tab_change(std::optional<double> done);
  std::string erasure();
  std::string drawing();

  struct Pinned {
    std::string text;  // as drawn
    Stream to = Stream::err;
    bool drawn = false;
    std::optional<int> tab_percent;
  };

  Pinned pinned_;
  bool out_open_ = false;   // stdout's last byte was not a newline
  bool line_open_ = false;  // the terminal's cursor is behind an unfinished line
};

// True when there is a terminal to ask at.
bool can_ask(const Console& console);

// True for yes, and, without asking, when nobody can answer. `question` has no question mark. The
// error is that of a signal, which answers nothing.
Result<bool> confirmed(Console& console, Loop& loop, const std::string& question);

// The same for a command that has --yes. An agent is refused, since nobody would see the question.
Result<bool> consented(Console& console, Loop& loop, const Environment& environment,
                       const std::string& question);

}  // namespace trainctl
