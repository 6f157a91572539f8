// The lines at the bottom of a terminal that say how the jobs stand while they are followed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/console/raw_terminal.h"
#include "base/loop/loop.h"

namespace trainctl::job {

// Shows what `text` says at the bottom of a terminal, as long as it lives: at every update(), but
// at most five times a second, and every second. It shows nothing where the console has no place
// for it. An action shorter than a second shows nothing. Keys typed meanwhile are not shown, since
// they would stand between the lines.
class StatusLine {
 public:
  struct Shown {
    std::vector<std::string> lines;  // safe for a terminal
    std::optional<double> done;      // 0 to 1
  };
  StatusLine(Console& console, Loop& loop, std::function<Shown()> text);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void update();

 private:
  void draw();
  void tick();

  Console& console_;
  Loop& loop_;
  std::function<Shown()> text_;
  Time drawn_{};
  HandlePtr timer_, soon_;
  std::unique_ptr<RawTerminal> keys_;
};

}  // namespace trainctl::job
