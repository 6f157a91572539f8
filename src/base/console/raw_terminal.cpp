// Sets and restores the terminal's attributes.
#include "base/console/raw_terminal.h"

#include <utility>

#include <termios.h>

namespace trainctl {

struct RawTerminal::Saved {
  int fd = -1;
  termios attributes{};
};

std::unique_ptr<RawTerminal> RawTerminal::make(int fd) {
  auto saved = std::make_unique<Saved>();
  saved->fd = fd;
  if (tcgetattr(fd, &saved->attributes) != 0) return nullptr;
  termios raw = saved->attributes;
  cfmakeraw(&raw);
  if (tcsetattr(fd, TCSADRAIN, &raw) != 0) return nullptr;
  return std::unique_ptr<RawTerminal>(new RawTerminal(std::move(saved)));
}

RawTerminal::RawTerminal(std::unique_ptr<Saved> saved) : saved_(std::move(saved)) {}

// Keys typed for the program that is gone must not become commands of the shell.
RawTerminal::~RawTerminal() {
  tcsetattr(saved_->fd, TCSAFLUSH, &saved_->attributes);
}

}  // namespace trainctl
