// Blocks of tar archives that TarWriter refuses to write.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace trainctl::testing {

inline constexpr std::size_t k_tar_block = 512;

// The type is the header's own letter.
inline std::string tar_header(const std::string& path, char type, std::uint64_t size,
                              const std::string& target = "", unsigned mode = 0644) {
  std::string block(k_tar_block, '\0');
  const auto put = [&block](std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  const auto octal = [&put](std::size_t at, const char* form, unsigned long long value) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), form, value);
    put(at, text.data());
  };
  put(0, path);
  octal(100, "%07llo", mode);
  octal(124, "%011llo", size);
  octal(136, "%011llo", 1767225600);
  put(148, "        ");
  block[156] = type;
  put(157, target);
  put(257, "ustar  ");
  unsigned long long sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  octal(148, "%06llo", sum);
  return block;
}

// Filled up to whole blocks.
inline std::string tar_padded(std::string bytes) {
  bytes.resize((bytes.size() + k_tar_block - 1) / k_tar_block * k_tar_block, '\0');
  return bytes;
}

inline std::string tar_end() {
  return std::string(2 * k_tar_block, '\0');
}

}  // namespace trainctl::testing
