// Makes a terminal pass on every key uninterpreted, for a program elsewhere that handles them
// itself.
#pragma once

#include <memory>

namespace trainctl {

class Console;

// The terminal is raw while the object lives, and afterwards as it was.
class RawTerminal {
 public:
  // `at_once`: keys come one by one and are not shown, but still send signals and output is as
  // before.
  enum class Keys { raw, at_once };
  // nullptr when `fd` is no terminal.
  static std::unique_ptr<RawTerminal> make(int fd, Keys keys = Keys::raw);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  struct Saved;
  explicit RawTerminal(std::unique_ptr<Saved> saved);
  std::unique_ptr<Saved> saved_;
};

// Keeps what is typed from rows that are redrawn in place, for as long as it lives; null where
// there are none.
std::unique_ptr<RawTerminal> quiet_keys(Console& console);

}  // namespace trainctl
