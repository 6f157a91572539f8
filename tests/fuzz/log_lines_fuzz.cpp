// A container's log: no byte may be lost or added, however the chunks fall.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kube/stream/log_stream.h"

namespace {

using trainctl::kube::LogLines;

// The stream put together again from its lines.
std::string rebuilt(std::string_view stream, std::size_t chunk_size) {
  std::string text;
  trainctl::kube::StampReader stamps;
  const auto sink = [&](std::string_view line, bool complete) {
    const auto read = stamps.read(line);
    if (read.stamp_text.size() + read.text.size() > line.size()) std::abort();
    const std::size_t glued = trainctl::kube::glued_stamp(line);
    if (glued != std::string_view::npos && glued >= line.size()) std::abort();
    text += line;
    if (complete) text += '\n';
    return true;
  };
  LogLines lines;
  while (!stream.empty()) {
    lines.feed(stream.substr(0, chunk_size), sink);
    stream.remove_prefix(std::min(chunk_size, stream.size()));
  }
  lines.finish(sink);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (rebuilt(stream, 1 + data[0]) != stream) std::abort();
  return 0;
}
