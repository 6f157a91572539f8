// Leaves some room on the disk, and removes the oldest file when there are too many.
#include "local/kubelet/rotating_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "local/disk.h"
#include "local/kubelet/log_files.h"

namespace trainctl::local {

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
