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

// At least one block.
std::uint64_t hash_of_blocks(const char* block, const char* last, std::uint64_t size) {
  Sums sums{k_salt[2], k_salt[3]};
  for (; block < last; block += k_block) sums.add(block);
  // The last block may begin inside the one before it.
  sums.add(last);
  return mixed(sums.first, sums.second ^ size);
}

std::uint64_t hash_of_short(std::string_view bytes) {
  std::array<char, k_block> padded{};
  bytes.copy(padded.data(), bytes.size());
  return hash_of_blocks(padded.data(), padded.data(), bytes.size());
}

}  // namespace

std::uint64_t hash_of(std::string_view bytes) {
  if (bytes.size() < k_block) return hash_of_short(bytes);
  return hash_of_blocks(bytes.data(), bytes.data() + bytes.size() - k_block, bytes.size());
}

}  // namespace trainctl
