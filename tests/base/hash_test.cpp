// A log line is told once because its hash is known: another line must not have the same one.
#include "base/hash.h"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace trainctl;

TEST_CASE("a line that differs in any one byte, or in its length, is another line") {
  std::set<std::uint64_t> seen;
  std::size_t lines = 0;
  const auto add = [&](std::string_view line) {
    seen.insert(hash_of(line));
    ++lines;
  };
  for (std::size_t size = 0; size <= 100; ++size) {
    std::string line(size, '\0');
    add(line);
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'\1', '0', '1', '\x80'}) {
        line[at] = c;
        add(line);
      }
      line[at] = '\0';
    }
  }
  CHECK(seen.size() == lines);
}

TEST_CASE("the counters of a training log make different lines") {
  std::set<std::uint64_t> seen;
  constexpr int k_lines = 100'000;
  for (int number = 0; number < k_lines; ++number) {
    const std::string counter = std::to_string(number);
    seen.insert(hash_of("epoch " + counter + " loss 0.1234567 lr 0.0010000 step " + counter));
  }
  CHECK(seen.size() == k_lines);
}

TEST_CASE("a line whose words have changed places is another line") {
  const std::string_view numbers = "00000001000000020000000300000004000000050000000600000007";
  for (std::size_t one = 0; one < numbers.size(); one += 8) {
    for (std::size_t other = 0; other < one; other += 8) {
      std::string line(numbers);
      std::swap_ranges(&line[one], &line[one] + 8, &line[other]);
      CHECK(hash_of(line) != hash_of(numbers));
    }
  }
}

TEST_CASE("the same line has the same hash wherever in memory it lies") {
  const std::string text = "xxxxxxxxepoch 1 loss 0.1234567 lr 0.0010000 12345.6 samples/s gpu 0";
  for (std::size_t begin = 0; begin < 8; ++begin) {
    for (std::size_t size = 0; size < text.size() - begin; ++size) {
      const std::string_view there = std::string_view(text).substr(begin, size);
      CHECK(hash_of(there) == hash_of(std::string(there)));
    }
  }
}
