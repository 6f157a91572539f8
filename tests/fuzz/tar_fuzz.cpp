// A tar archive from a pod is hostile input: whatever it holds, reading it ends, and no entry has a
// NUL in its path or more bytes than it said.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "base/file/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  auto reader = trainctl::TarReader::open([&rest]() -> trainctl::Result<std::string_view> {
    constexpr std::size_t k_piece = 700;
    const std::string_view piece = rest.substr(0, k_piece);
    rest.remove_prefix(piece.size());
    return piece;
  });
  if (!reader) return 0;
  while (true) {
    const auto item = reader->next();
    if (!item || !*item) return 0;
    if ((*item)->path.find('\0') != std::string_view::npos) std::abort();
    const auto* file = std::get_if<trainctl::TarFile>(&(*item)->what);
    std::uint64_t left = file == nullptr ? 0 : file->size;
    while (file != nullptr) {
      const auto piece = reader->read();
      if (!piece) return 0;
      if (piece->empty()) break;
      if (piece->size() > left) std::abort();
      left -= piece->size();
    }
  }
}
