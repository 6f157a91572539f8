// Splits what a client sends into lines, and skips lines that are too long to keep.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trainctl::cli::mcp {

inline constexpr std::size_t k_longest_line = std::size_t{1} << 20;

// Takes bytes as they come; gives complete lines. Never keeps more than one line beyond those that
// are ready.
class LineReader {
 public:
  struct Line {
    std::string text;
    bool too_long = false;  // its text was skipped
  };

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      keep(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      ready_bytes_ += partial_.text.size();
      ready_.push_back(std::exchange(partial_, {}));
      bytes.remove_prefix(end + 1);
    }
  }

  std::optional<Line> next() {
    if (ready_.empty()) return std::nullopt;
    Line line = std::move(ready_.front());
    ready_.pop_front();
    ready_bytes_ -= line.text.size();
    return line;
  }

  bool has_line() const { return !ready_.empty(); }
  // True when the client should not be read any further for now.
  bool is_full() const { return ready_bytes_ >= k_longest_line || ready_.size() >= k_most_lines; }
  const std::deque<Line>& ready() const { return ready_; }

 private:
  static constexpr std::size_t k_most_lines = 4096;

  void keep(std::string_view part) {
    if (partial_.too_long) return;
    if (partial_.text.size() + part.size() <= k_longest_line) {
      partial_.text += part;
      return;
    }
    partial_ = {"", true};
  }

  std::deque<Line> ready_;
  std::size_t ready_bytes_ = 0;
  Line partial_;
};

}  // namespace trainctl::cli::mcp
