// Messages, colours and pinned text, shared by the real console and the fake one.
#include "base/console/console.h"

#include <algorithm>

#include "base/loop/loop.h"
#include "base/loop/wait_limit.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

std::string_view escape_code(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::red:
      return "\x1b[31m";
    case Colour::green:
      return "\x1b[32m";
    case Colour::yellow:
      return "\x1b[33m";
    case Colour::blue:
      return "\x1b[34m";
    case Colour::magenta:
      return "\x1b[35m";
    case Colour::cyan:
      return "\x1b[36m";
    case Colour::grey:
      return "\x1b[90m";
    case Colour::bold:
      return "\x1b[1m";
  }
  return "";
}

// The lines that fit on the screen above the cursor's line; the last of them counts the omitted
// ones. Uses one column less than the width, since a terminal that is filled to its last column may
// begin a new line by itself.
std::string fitted(std::string_view text, int width, std::size_t room) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  if (lines.size() > room) {
    const std::size_t more = lines.size() - room + 1;
    lines.resize(room - 1);
    lines.push_back(cat("… ", more, " more"));
  }
  std::string fitting;
  for (const std::string& line : lines) fitting += shortened(line, width - 1) + '\n';
  return fitting;
}

}  // namespace

Error reader_gone() {
  return {Code::broken_pipe, "the reader of stdout went away", ""};
}

Status Console::out(std::string_view text) {
  return write(Stream::out, as_out(text));
}

Status Console::out_json(std::string json) {
  return write(Stream::out, json_as_out(std::move(json)));
}

std::string Console::as_out(std::string_view text) const {
  std::string plain = without_ci_commands(out_reader(), text);
  return out_is_tty ? terminal_safe(plain) : plain;
}

std::string Console::json_as_out(std::string json) const {
  json = json_without_ci_commands(out_reader(), std::move(json));
  return out_is_tty ? terminal_safe_json(json) : json;
}

Result<std::size_t> Console::offer(std::string_view bytes) {
  if (!out_is_tty) {
    Result<std::size_t> taken = offer_out(bytes);
    if (taken && *taken > 0) out_open_ = bytes[*taken - 1] != '\n';
    return taken;
  }
  // On a suspended terminal (Ctrl-S), redrawing the pinned text would block.
  if (!out_is_ready()) return std::size_t{0};
  TRY(write_raw(pinned_.to, erasure()));
  Result<std::size_t> taken = offer_out(bytes);
  if (taken && *taken > 0) line_open_ = out_open_ = bytes[*taken - 1] != '\n';
  TRY(write_raw(pinned_.to, drawing()));
  return taken;
}

void Console::err(std::string_view bytes) {
  command(without_ci_commands(ci, bytes));
}

// The log of a CI system may be read in a terminal, too.
std::string Console::talk(std::string_view text) const {
  return err_is_tty ? terminal_safe_line(text) : printable_line(without_colour(text));
}

void Console::command(std::string_view bytes) {
  const bool ends_line = out_open_ && shares_place();
  if (ends_line) out_open_ = false;
  (void)write(Stream::err, ends_line ? cat("\n", bytes) : std::string(bytes));
}

void Console::notice(std::string_view text) {
  if (!quiet) err(talk(text) + '\n');
}

void Console::warn(std::string_view text) {
  const std::string label = err_is_tty ? painted("warning:", Colour::yellow) : "warning:";
  err(cat(label, ' ', talk(text), '\n'));
}

void Console::set_status(std::string_view text) {
  const std::string line = printable_line(without_ci_commands(ci, text));
  set_region(line.empty() ? std::vector<std::string>() : std::vector{painted(line, Colour::grey)});
}

void Console::set_region(std::vector<std::string> lines, std::optional<double> done) {
  const bool rows_are_there = pinned_.to == Stream::out && !pinned_.text.empty();
  if (!shows_status() || rows_are_there) return;
  if (const std::size_t room = region_room(); lines.size() > room) lines.resize(room);
  for (std::string& line : lines) line = shortened(line, width - 1);
  (void)pin(Stream::err, join(lines, "\n"), tab_change(done));
}

std::string Console::tab_change(std::optional<double> done) {
  if (tab_progress == TabProgress::unknown) return "";
  const auto percent = done ? std::optional(static_cast<int>(*done * 100)) : std::nullopt;
  if (std::exchange(pinned_.tab_percent, percent) == percent) return "";
  return percent ? cat("\x1b]9;4;1;", *percent, '\a') : "\x1b]9;4;0\a";
}

std::size_t Console::region_room() {
  constexpr std::size_t k_most_lines = 6;
  measure();
  return std::clamp<std::size_t>(static_cast<std::size_t>(height) / 3, 1, k_most_lines);
}

Status Console::put_rows(std::string_view lines) {
  const std::size_t room = row_room();
  return pin(Stream::out, fitted(without_ci_commands(out_reader(), lines), width, room));
}

std::size_t Console::row_room() {
  measure();
  return static_cast<std::size_t>(std::max(height - 1, 2));
}

void Console::unpin() {
  if (pinned_.to == Stream::err) write_err(erasure());
  pinned_.text.clear();
  pinned_.drawn = false;
}

Status Console::write(Stream stream, std::string_view bytes) {
  if (stream == Stream::out && !bytes.empty()) out_open_ = bytes.back() != '\n';
  if (!is_terminal(stream)) return write_raw(stream, bytes);
  if (!bytes.empty()) line_open_ = bytes.back() != '\n';
  if (pinned_.text.empty()) return write_raw(stream, bytes);
  if (stream == pinned_.to) {
    std::string all = erasure();
    all.append(bytes).append(drawing());
    return write_raw(stream, all);
  }
  TRY(write_raw(pinned_.to, erasure()));
  TRY(write_raw(stream, bytes));
  return write_raw(pinned_.to, drawing());
}

Status Console::write_raw(Stream stream, std::string_view bytes) {
  if (stream == Stream::out) return write_out(bytes);
  write_err(bytes);
  return {};
}

Status Console::pin(Stream stream, std::string text, std::string_view also) {
  if (pinned_.drawn && pinned_.to == stream && pinned_.text == text && also.empty()) return {};
  std::string change = erasure().append(also);
  pinned_.text = std::move(text);
  pinned_.to = stream;
  change += drawing();
  if (change.empty()) return {};
  return write_raw(stream, change);
}

// Moves the cursor back to where the pinned text began, and clears everything behind it: row by
// row, since a terminal such as tmux keeps a copy of a whole screen that is cleared at once. In a
// window that has become narrower, a line takes several rows.
std::string Console::erasure() {
  if (!std::exchange(pinned_.drawn, false) || !has_terminal()) return "";
  measure();
  const std::vector<std::string> lines = split(without_colour(pinned_.text), '\n');
  int rows = 0;
  for (const std::string& line : lines) rows += std::max(display_width(line) - 1, 0) / width + 1;
  std::string change = "\r";
  for (int row = 1; row < rows; ++row) change += "\x1b[2K\x1b[A";
  return change += "\x1b[J";
}

std::string Console::drawing() {
  if (pinned_.text.empty() || line_open_ || !has_terminal()) return "";
  pinned_.drawn = true;
  return pinned_.text;
}

std::string Console::painted(std::string_view text, Colour wanted) const {
  if (!colour || wanted == Colour::none || text.empty()) return std::string(text);
  return cat(escape_code(wanted), text, "\x1b[0m");
}

bool can_ask(const Console& console) {
  return console.in_is_tty && console.err_is_tty;
}

Result<bool> confirmed(Console& console, Loop& loop, const std::string& question) {
  if (!can_ask(console)) return true;
  console.err(question + "? [y/N] ");
  bool is_typed = console.in_descriptor() < 0;
  HandlePtr input;
  if (!is_typed) input = loop.on_readable(console.in_descriptor(), [&] { is_typed = true; });
  WaitLimit limit(loop, std::nullopt);
  if (Status waited = limit.run_until([&] { return is_typed; }); !waited) {
    console.err("\n");
    return std::move(waited).error();
  }
  const std::string answer = lower(console.read_line().value_or(""));
  return answer == "y" || answer == "yes";
}

Result<bool> consented(Console& console, Loop& loop, const Environment& environment,
                       const std::string& question) {
  if (!is_for_agent(environment)) return confirmed(console, loop, question);
  return Error{Code::usage, cat("an agent cannot be asked: ", question, "?"),
               "ask the user, then add --yes"};
}

}  // namespace trainctl
