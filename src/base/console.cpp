// Talk and colour, the same for the real console and the fake one.
#include "base/console.h"

#include "base/text.h"

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

}  // namespace

void Console::notice(std::string_view text) {
  if (!quiet) err(cat(text, '\n'));
}

void Console::warn(std::string_view text) {
  const bool painted_label = err_is_tty;
  err(cat(painted_label ? painted("warning:", Colour::yellow) : "warning:", ' ', text, '\n'));
}

std::string Console::painted(std::string_view text, Colour wanted) const {
  if (!colour || wanted == Colour::none || text.empty()) return std::string(text);
  return cat(escape_code(wanted), text, "\x1b[0m");
}

}  // namespace trainctl
