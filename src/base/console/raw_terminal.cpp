// Sets and restores the terminal's attributes.
#include "base/console/raw_terminal.h"

#include <utility>

#include <termios.h>
#include <unistd.h>

#include "base/console/console.h"

namespace trainctl {

struct RawTerminal::Saved {
  int fd = -1;
  termios attributes{};
};

std::unique_ptr<RawTerminal> RawTerminal::make(int fd, Keys keys) {
  auto saved = std::make_unique<Saved>();
  saved->fd = fd;
  if (tcgetattr(fd, &saved->attributes) != 0) return nullptr;
  termios raw = saved->attributes;
  if (keys == Keys::raw) {
    cfmakeraw(&raw);
  } else {
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  }
  if (tcsetattr(fd, TCSADRAIN, &raw) != 0) return nullptr;
  return std::unique_ptr<RawTerminal>(new RawTerminal(std::move(saved)));
}

RawTerminal::RawTerminal(std::unique_ptr<Saved> saved) : saved_(std::move(saved)) {}

// Keys typed for the program that is gone must not become commands of the shell.
RawTerminal::~RawTerminal() {
  // In the background, setting them would stop the process.
  const pid_t group = tcgetpgrp(saved_->fd);
  if (group >= 0 && group != getpgrp()) return;
  tcsetattr(saved_->fd, TCSAFLUSH, &saved_->attributes);
}

std::unique_ptr<RawTerminal> quiet_keys(Console& console) {
  if (!console.puts_rows() || !console.has_terminal()) return nullptr;
  return RawTerminal::make(console.in_descriptor(), RawTerminal::Keys::at_once);
}

}  // namespace trainctl
