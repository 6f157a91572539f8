// Encodes and decodes the standard alphabet with padding.
#include "base/value/base64.h"

#include <cstdint>

namespace trainctl {

namespace {

constexpr std::string_view k_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const unsigned char byte = i < group.size() ? static_cast<unsigned char>(group[i]) : 0;
      bits = bits << 8 | byte;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? k_alphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = digit(c);
    if (value < 0 || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++digits % 4 != 0) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xff);
    bits = 0;
  }
  const int tail = digits % 4;
  if (tail == 1 || padding != (4 - tail) % 4) return std::nullopt;
  if (tail >= 2) bytes += static_cast<char>(bits >> (tail == 2 ? 4 : 10) & 0xff);
  if (tail == 3) bytes += static_cast<char>(bits >> 2 & 0xff);
  return bytes;
}

}  // namespace trainctl
