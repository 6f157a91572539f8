// Cuts output into CRI log records and appends them to the log.
#include "local/kubelet/guard_log.h"

#include <cerrno>

#include <unistd.h>

namespace trainctl::local {

namespace {
constexpr std::size_t k_longest_record = 16 * 1024;  // of a record's text, as in containerd
}

void RecordWriter::add(std::string_view text, char tag, Time now) {
  pending_ += format_time(now, true);
  pending_ += " stdout ";
  pending_ += tag;
  pending_ += ' ';
  pending_ += text;
  pending_ += '\n';
  between_lines_ = tag == 'F';
}

void RecordWriter::take(std::string_view bytes, Time now) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const bool ends = newline != std::string_view::npos;
    const auto part = bytes.substr(0, newline);
    bytes.remove_prefix(ends ? newline + 1 : bytes.size());
    line_ += part;
    std::string_view left = line_;
    for (; left.size() > k_longest_record; left.remove_prefix(k_longest_record)) {
      add(left.substr(0, k_longest_record), 'P', now);
    }
    if (ends) {
      // As containerd does, which takes a carriage return for part of the line's end.
      if (left.ends_with('\r')) left.remove_suffix(1);
      add(left, 'F', now);
      line_.clear();
    } else if (left.size() != line_.size()) {
      line_ = std::string(left);
    }
  }
}

void RecordWriter::take_states(Time now) {
  if (line_.size() < 2) return;
  // A last \r may belong to the end of the line.
  const std::size_t end = line_.rfind('\r', line_.size() - 2);
  if (end == std::string::npos) return;
  add(std::string_view(line_).substr(0, end + 1), 'P', now);
  line_.erase(0, end + 1);
}

void RecordWriter::finish(Time now) {
  if (line_.empty()) return;
  add(line_, 'P', now);
  line_.clear();
}

bool RecordWriter::flush() {
  while (written_ < pending_.size()) {
    const ssize_t count = ::write(fd_, pending_.data() + written_, pending_.size() - written_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written_ += static_cast<std::size_t>(count);
  }
  pending_.clear();
  written_ = 0;
  return true;
}

}  // namespace trainctl::local
