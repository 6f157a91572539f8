// The words that a user types for the values of an enum.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl {

template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};

// The words of a table, in its order.
template <typename Value, std::size_t N>
std::vector<std::string> texts_of(const Word<Value> (&words)[N]) {
  std::vector<std::string> texts;
  for (const Word<Value>& one : words) texts.emplace_back(one.word);
  return texts;
}

// The value of a word; nullopt when the table has no such word.
template <typename Value, std::size_t N>
std::optional<Value> value_of(const Word<Value> (&words)[N], std::string_view text) {
  const auto found = std::ranges::find(words, text, &Word<Value>::word);
  return found == std::end(words) ? std::nullopt : std::optional<Value>(found->value);
}

// The word for a value; "" when the table has none.
template <typename Value, std::size_t N>
std::string_view word_of(const Word<Value> (&words)[N], const Value& value) {
  const auto found = std::ranges::find(words, value, &Word<Value>::value);
  return found == std::end(words) ? std::string_view() : found->word;
}

}  // namespace trainctl
