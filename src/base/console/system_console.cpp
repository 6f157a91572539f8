// Complete writes and reads on file descriptors, and the properties of a terminal.
#include "base/console/system_console.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"

namespace trainctl {

namespace {

bool is_same_file(int one, int other) {
  struct stat first {};
  struct stat second {};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// True when the call that failed with error_number may be tried again, after waiting if necessary.
bool may_retry(int fd, short events, int error_number) {
  if (error_number == EINTR) return true;
  if (error_number != EAGAIN) return false;
  pollfd waiting{fd, events, 0};
  return poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

// Writes everything; returns 0, or the error number that ended the writing.
int write_fully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (const int error_number = errno; !may_retry(fd, POLLOUT, error_number)) {
      return error_number;
    }
  }
  return 0;
}

// Returns the bytes read, 0 at the end, or -1 on an error (see errno).
ssize_t read_some_of(int fd, char* buffer, std::size_t size) {
  for (;;) {
    const ssize_t count = read(fd, buffer, size);
    if (count >= 0 || !may_retry(fd, POLLIN, errno)) return count;
  }
}

Error out_failure(int error_number) {
  if (error_number == EPIPE) return reader_gone();
  return Error{Code::error, cat("cannot write to stdout: ", system_words(error_number)), ""};
}

int width_by_environment(const Environment& environment) {
  constexpr int k_usual = 80;
  constexpr int k_widest = 10'000;
  const int columns = std::atoi(environment.text("COLUMNS").c_str());
  return columns > 0 && columns < k_widest ? columns : k_usual;
}

// Other terminals ignore the sequence, or print it.
bool knows_tab_progress(const Environment& environment) {
  constexpr int k_first_vte = 8000;
  const std::string program = environment.text("TERM_PROGRAM");
  return !environment.text("WT_SESSION").empty() || environment.text("ConEmuANSI") == "ON" ||
         program == "ghostty" || program == "WezTerm" || program == "iTerm.app" ||
         std::atoi(environment.text("VTE_VERSION").c_str()) >= k_first_vte;
}

}  // namespace

SystemConsole::SystemConsole(const Environment& environment, StandardStreams streams)
    : streams_(streams) {
  in_is_tty = isatty(streams.in) == 1;
  out_is_tty = isatty(streams.out) == 1;
  err_is_tty = isatty(streams.err) == 1;
  struct stat facts {};
  out_is_file = fstat(streams.out, &facts) == 0 && S_ISREG(facts.st_mode);
  out_is_err = is_same_file(streams.out, streams.err);
  const std::string terminal = environment.text("TERM");
  const bool colour_is_unwanted = !environment.text("NO_COLOR").empty();
  redraws = !terminal.empty() && terminal != "dumb";
  colour = out_is_tty && !colour_is_unwanted && redraws;
  if (redraws && knows_tab_progress(environment)) tab_progress = TabProgress::shown;
  // An agent may give its commands a terminal, which it reads as text and never answers. Output
  // stays safe for that terminal.
  if (is_for_agent(environment)) {
    in_is_tty = redraws = colour = false;
    tab_progress = TabProgress::unknown;
  }
  width = width_by_environment(environment);
  SystemConsole::measure();
}

SystemConsole::~SystemConsole() {
  if (own_out_ >= 0) close(own_out_);
}

void SystemConsole::measure() {
  winsize size{};
  if (ioctl(out_is_tty ? streams_.out : streams_.err, TIOCGWINSZ, &size) != 0) return;
  if (size.ws_col > 0) width = size.ws_col;
  if (size.ws_row > 0) height = size.ws_row;
}

// A terminal that does not control this process says nothing about it.
bool SystemConsole::has_terminal() {
  const pid_t group = tcgetpgrp(err_is_tty ? streams_.err : streams_.out);
  return group < 0 || group == getpgrp();
}

Status SystemConsole::write_out(std::string_view bytes) {
  const int error_number = write_fully(streams_.out, bytes);
  if (error_number == 0) return {};
  return out_failure(error_number);
}

void SystemConsole::open_own_out() {
  struct stat facts {};
  if (fstat(streams_.out, &facts) != 0) return;
  out_waits_ = S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode) || isatty(streams_.out) == 1;
  if (!out_waits_) return;
  const std::string path = cat("/dev/fd/", streams_.out);
  own_out_ = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  // Some systems open the same file once more, others give it a second number.
  const bool is_own = own_out_ >= 0 && (fcntl(own_out_, F_GETFL) & O_NONBLOCK) != 0;
  if (own_out_ >= 0 && !is_own) close(std::exchange(own_out_, -1));
}

bool SystemConsole::out_is_ready() {
  pollfd ready{streams_.out, POLLOUT, 0};
  return poll(&ready, 1, 0) > 0;
}

Result<std::size_t> SystemConsole::offer_out(std::string_view bytes) {
  if (!std::exchange(offered_, true)) open_own_out();
  if (out_waits_ && own_out_ < 0) {
    // This is a socket, which cannot be opened a second time, or the system opens nothing so. A
    // pipe or socket that is writable accepts this many bytes.
    if (!out_is_ready()) return std::size_t{0};
    bytes = bytes.substr(0, PIPE_BUF);
  }
  for (;;) {
    const ssize_t written = ::write(out_descriptor(), bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN) return std::size_t{0};
    if (errno != EINTR) return out_failure(errno);
  }
}

void SystemConsole::write_err(std::string_view bytes) {
  write_fully(streams_.err, bytes);
}

Result<std::string> SystemConsole::read_some() {
  constexpr std::size_t k_piece = 65536;
  std::string piece(k_piece, '\0');
  const ssize_t count = read_some_of(streams_.in, piece.data(), piece.size());
  // A terminal that was closed fails, and there is nothing more to read from it.
  if (count < 0 && errno == EIO) return std::string();
  if (count < 0) return Error{Code::error, cat("cannot read stdin: ", system_words(errno)), ""};
  piece.resize(static_cast<std::size_t>(count));
  return piece;
}

std::optional<std::string> SystemConsole::read_line() {
  std::string line;
  char c = 0;
  while (read_some_of(streams_.in, &c, 1) == 1) {
    if (c == '\n') return line;
    line += c;
  }
  if (line.empty()) return std::nullopt;
  return line;
}

Result<std::string> SystemConsole::read_all(std::size_t limit) {
  using std::chrono::milliseconds;
  pollfd first{streams_.in, POLLIN, 0};
  const auto wait = std::chrono::ceil<milliseconds>(patience).count();
  if (poll(&first, 1, static_cast<int>(wait)) == 0) notice("waiting for input on stdin");
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = read_some_of(streams_.in, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0) return Error{Code::usage, cat("cannot read stdin: ", system_words(errno)), ""};
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > limit) {
      return Error{Code::usage, cat("stdin holds more than ", limit, " bytes"), ""};
    }
  }
}

}  // namespace trainctl
