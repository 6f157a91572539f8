// A console that keeps what was written and hands out what a user would type.
#include "base/text/text.h"
#include "support/fakes.h"

namespace trainctl::testing {

Status BufferConsole::write_out(std::string_view bytes) {
  if (pipe_breaks_after && stdout_text.size() + bytes.size() > *pipe_breaks_after) {
    stdout_text += bytes.substr(0, *pipe_breaks_after - stdout_text.size());
    return reader_gone();
  }
  stdout_text += bytes;
  return {};
}

Result<std::size_t> BufferConsole::offer_out(std::string_view bytes) {
  reader_is_busy_ = reader_takes && !reader_is_busy_;
  if (reader_takes && !reader_is_busy_) return std::size_t{0};
  bytes = bytes.substr(0, reader_takes.value_or(bytes.size()));
  TRY(write_out(bytes));
  return bytes.size();
}

void BufferConsole::write_err(std::string_view bytes) {
  stderr_text += bytes;
}

std::optional<std::string> BufferConsole::read_line() {
  if (stdin_text.empty()) return std::nullopt;
  Halves halves = split_once(stdin_text, '\n');
  stdin_text = std::move(halves.second);
  return halves.first;
}

Result<std::string> BufferConsole::read_all(std::size_t limit) {
  if (stdin_text.size() > limit) {
    return Error{Code::usage, cat("stdin holds more than ", limit, " bytes"), ""};
  }
  return std::exchange(stdin_text, "");
}

}  // namespace trainctl::testing
