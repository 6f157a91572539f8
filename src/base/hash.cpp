// Multiplies 16 bytes at a time, in two sums that do not wait for each other.
#include "base/hash.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace trainctl {

namespace {

__extension__ using Wide = unsigned __int128;

// Any four numbers without a pattern; one alone would make swapped words the same.
constexpr std::array<std::uint64_t, 4> k_salt = {0x9E3779B97F4A7C15U, 0xBF58476D1CE4E5B9U,
                                                 0x94D049BB133111EBU, 0xD6E8FEB86659FD93U};
constexpr std::size_t k_block = 32;

std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

struct Sums {
  std::uint64_t first, second;

  void add(const char* block) {
    first = mixed(word_at(block) ^ k_salt[0], word_at(block + 8) ^ first);
    second = mixed(word_at(block + 16) ^ k_salt[1], word_at(block + 24) ^ second);
  }
};

}  // namespace

std::uint64_t hash_of(std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  Sums sums{k_salt[2], k_salt[3]};
  std::array<char, k_block> padded{};
  if (size < k_block) {
    bytes.copy(padded.data(), size);
    bytes = {padded.data(), k_block};
  }
  // The last block may begin inside the one before it.
  const char* const last = bytes.data() + bytes.size() - k_block;
  for (const char* block = bytes.data(); block < last; block += k_block) sums.add(block);
  sums.add(last);
  return mixed(sums.first, sums.second ^ size);
}

}  // namespace trainctl
