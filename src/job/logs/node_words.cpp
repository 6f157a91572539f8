// Holds the error texts of kubelet and container runtimes, as cri-client's pkg/logs and gRPC write
// them.
#include "job/logs/node_words.h"

#include <algorithm>
#include <array>

namespace trainctl::job {
namespace {

// Errors of any read. The path that follows keeps a program's own sentence from being mistaken for
// one.
constexpr std::array<std::string_view, 8> k_of_files = {
    R"(failed to read log file "/)",
    R"(failed to open log file "/)",
    R"(failed to reopen log file "/)",
    R"(failed to try resolving symlinks in path "/)",
    R"(failed to reset seek in log file "/)",
    R"(failed to get parse function: unsupported log format: ")",
    "unable to retrieve container logs for containerd://",
    "unable to retrieve container logs for cri-o://",
};
// Errors of a read that waits for more: those of the file watcher, those of the runtime, and those
// that end the wait.
constexpr std::array<std::string_view, 7> k_of_waiting = {
    "rpc error: code = ",
    "failed to create fsnotify watcher: ",
    R"(failed to watch directory "/)",
    R"(failed to watch file "/)",
    "fsnotify: queue or buffer overflow",
    "context canceled",
    "context deadline exceeded",
};

template <std::size_t size>
std::size_t first_of(std::string_view text, const std::array<std::string_view, size>& words) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view each : words) first = std::min(first, text.find(each));
  return first;
}

}  // namespace

std::size_t node_words_at(std::string_view unfinished_line, bool followed) {
  const std::size_t of_file = first_of(unfinished_line, k_of_files);
  if (!followed) return of_file;
  return std::min(of_file, first_of(unfinished_line, k_of_waiting));
}

}  // namespace trainctl::job
