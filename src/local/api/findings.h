// The findings of a strict decoder in a body: a bounded list, however many fields are wrong.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace trainctl::local {

// Go's decoder names 100 fields at most; their paths can be as long as the body, so their size is
// limited as well. Later findings are dropped.
class Findings {
 public:
  bool full() const { return texts_.size() >= k_most || bytes_ >= k_most_bytes; }
  void add(std::string text) {
    if (full()) return;
    bytes_ += text.size();
    texts_.push_back(std::move(text));
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  static constexpr std::size_t k_most = 100;
  static constexpr std::size_t k_most_bytes = std::size_t{64} << 10U;

  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;
};

}  // namespace trainctl::local
