// A watch's bytes: cutting them into chunks must not change the events they hold.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/api_error.h"
#include "kube/watch/watch.h"

namespace {

std::vector<std::string> lines_of(std::string_view stream, std::size_t chunk_size) {
  std::vector<std::string> lines;
  trainctl::kube::JsonLines splitter;
  while (!stream.empty()) {
    const auto fed = splitter.feed(stream.substr(0, chunk_size), [&](std::string_view line) {
      lines.emplace_back(line);
      return true;
    });
    if (!fed) std::abort();
    stream.remove_prefix(std::min(chunk_size, stream.size()));
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t chunk_size = 1 + data[0] % 16;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> lines = lines_of(stream, chunk_size);
  if (lines != lines_of(stream, size)) std::abort();
  for (const std::string& line : lines) {
    const auto event = trainctl::kube::parse_answer(line, "event");
    if (event) trainctl::dump(*event);
  }
  return 0;
}
