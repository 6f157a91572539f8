// Leaves some room on the disk, and removes the oldest file when there are too many.
#include "local/kubelet/rotating_log.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "local/disk.h"
#include "local/kubelet/log_files.h"

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

namespace {

int open_log_file(const std::string& path) {
  return ::open(path.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
}

}  // namespace

RotatingLog::RotatingLog(const GuardOrder& order)
    : order_(order), file_(open_log_file(log_path(order.directory, 0))), records_(file_) {}

void RotatingLog::take(std::string_view output) {
  records_.take(output, std::chrono::system_clock::now());
  flush();
}

void RotatingLog::take_states() {
  constexpr auto k_between_states = std::chrono::seconds(1);
  const Time now = std::chrono::system_clock::now();
  if (!flushed_ || (now >= shown_ && now < shown_ + k_between_states)) return;
  shown_ = now;
  records_.take_states(now);
  flush();
}

void RotatingLog::flush() {
  flushed_ = write();
  if (flushed_) turn_over();
}

bool RotatingLog::finish() {
  records_.finish(std::chrono::system_clock::now());
  return write();
}

bool RotatingLog::has_room() const {
  struct statvfs disk {};
  if (::fstatvfs(file_, &disk) != 0) return true;
  return static_cast<unsigned long long>(disk.f_bavail) * disk.f_frsize >= k_left_by_logs;
}

bool RotatingLog::write() {
  return has_room() && records_.flush();
}

// Called when all output taken is written, which is between two records.
void RotatingLog::turn_over() {
  struct stat info {};
  if (::fstat(file_, &info) != 0) return;
  // A reader that starts at the oldest file finds complete lines, unless a line is longer than any
  // log should hold.
  constexpr int k_files_of_longest_line = 25;  // files
  const int files = records_.is_between_lines() ? 1 : k_files_of_longest_line;
  if (info.st_size < files * order_.log_file_size) return;
  const int next = open_log_file(log_path(order_.directory, number_ + 1));
  if (next < 0) return;
  ::dup2(next, file_);
  ::fcntl(file_, F_SETFD, FD_CLOEXEC);
  ::close(next);
  ++number_;
  const int oldest = number_ - order_.log_files;
  if (oldest >= 0) ::unlink(log_path(order_.directory, oldest).c_str());
}

}  // namespace trainctl::local
