// The server writes no newlines inside a JSON text, so they alone separate the values.
#include "kube/watch/json_lines.h"

#include "base/text/text.h"

namespace trainctl::kube {

namespace {

constexpr std::size_t k_line_limit = std::size_t{64} << 20;

}  // namespace

Status JsonLines::feed(std::string_view chunk,
                       const std::function<bool(std::string_view)>& on_line) {
  while (!chunk.empty()) {
    const std::size_t newline = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, newline);
    if (rest_.size() + piece.size() > k_line_limit) {
      return Error{Code::unreachable, "the server sent a watch event above 64 MiB", ""};
    }
    if (newline == std::string_view::npos) {
      rest_ += piece;
      return {};
    }
    chunk.remove_prefix(newline + 1);
    std::string whole;
    if (!rest_.empty()) {
      rest_ += piece;
      whole.swap(rest_);
    }
    const std::string_view line = trim(whole.empty() ? piece : std::string_view(whole));
    if (line.empty() || on_line(line)) continue;
    rest_.clear();
    return {};
  }
  return {};
}

}  // namespace trainctl::kube
