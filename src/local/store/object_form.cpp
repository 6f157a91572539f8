// Compares values field by field, and makes random names.
#include "local/store/object_form.h"

#include <algorithm>
#include <random>
#include <vector>

#include "base/text/text.h"

namespace trainctl::local {

namespace {

bool same_without(const Json& one, const Json& other, const std::vector<std::string>& skipped) {
  const auto is_skipped = [&](const std::string& key) {
    return std::ranges::find(skipped, key) != skipped.end();
  };
  const auto covers = [&](const Json& here, const Json& there) {
    for (const auto& [key, value] : here.items()) {
      if (is_skipped(key)) continue;
      const auto found = there.find(key);
      if (found == there.end() || !same_value(value, *found)) return false;
    }
    return true;
  };
  return covers(one, other) && covers(other, one);
}

}  // namespace

bool same_value(const Json& one, const Json& other) {
  if (one.is_array() && other.is_array()) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), same_value);
  }
  if (!one.is_object() || !other.is_object()) return one == other;
  if (one.size() != other.size()) return false;
  for (const auto& [key, value] : one.items()) {
    const auto found = other.find(key);
    if (found == other.end() || !same_value(value, *found)) return false;
  }
  return true;
}

bool same_specification(const Json& one, const Json& other) {
  return same_without(one, other, {"metadata", "status", "spec"}) &&
         same_without(object_at(one, "/spec"), object_at(other, "/spec"), {"nodeName"});
}

std::string whole_seconds(Time time) {
  return format_time(std::chrono::floor<std::chrono::seconds>(time));
}

std::string new_uid() {
  std::random_device random;
  return cat(hex_digits(random(), 8), '-', hex_digits(random(), 4), "-4", hex_digits(random(), 3),
             '-', hex_digits(8 + random() % 4, 1), hex_digits(random(), 3), '-',
             hex_digits(random(), 8), hex_digits(random(), 4));
}

std::string name_suffix() {
  // No vowels and nothing that looks like one, so that no words are formed.
  constexpr std::string_view k_letters = "bcdfghjklmnpqrstvwxz2456789";
  std::random_device random;
  std::uniform_int_distribution<std::size_t> letter(0, k_letters.size() - 1);
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += k_letters[letter(random)];
  return suffix;
}

}  // namespace trainctl::local
