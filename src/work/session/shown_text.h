// Prepares the output of a remote process for a person who reads it: a character or colour that is
// split between two pieces is held back until it is whole, so that it can be checked.
#pragma once

#include <string>
#include <string_view>

#include "base/console/console.h"
#include "base/text/terminal_text.h"

namespace trainctl::work {

// True when stdout gets the bytes as they are: a program or a file takes them. A terminal, or a CI
// system that reads stdout, interprets them.
bool is_exact(const Console& console);

class ShownText {
 public:
  // `whole_lines`: a CI system reads them, and only a whole line shows whether it is a command.
  explicit ShownText(bool whole_lines = false) : whole_lines_(whole_lines) {}

  // Adds the bytes, and returns the part that is complete.
  std::string take(std::string_view bytes);
  // Returns the text that was held back and will not be completed.
  std::string rest();

 private:
  bool whole_lines_;
  std::string held_;
};

}  // namespace trainctl::work
