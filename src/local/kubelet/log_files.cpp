// Finds, reads and counts in log files.
#include "local/kubelet/log_files.h"

#include <algorithm>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

std::string log_path(const std::string& directory, int number) {
  const std::string first = cat(directory, "/", k_log_file);
  return number == 0 ? first : cat(first, ".", number);
}

std::vector<int> log_numbers(const std::string& directory) {
  const std::string prefix = cat(k_log_file, ".");
  std::vector<int> numbers;
  for (const std::string& name : names_in(directory)) {
    if (name == k_log_file) numbers.push_back(0);
    if (name.starts_with(prefix)) numbers.push_back(std::atoi(name.c_str() + prefix.size()));
  }
  std::ranges::sort(numbers);
  return numbers;
}

int log_files_of_run(std::int64_t job_limit, std::int64_t replicas) {
  constexpr std::int64_t k_most_files = 1 << 20;
  const std::int64_t runs = std::max<std::int64_t>(replicas, 1) * (k_kept_runs + 1);
  const std::int64_t files = job_limit / runs / k_log_file_size;
  return static_cast<int>(std::clamp<std::int64_t>(files, k_log_files, k_most_files));
}

namespace {

// The position where the last `left` complete records begin in the first `size` bytes of a file;
// subtracts the records found from `left`.
off_t tail_start(int fd, off_t size, std::int64_t& left) {
  constexpr off_t k_scan_block = off_t{64} * 1024;
  // The newline that ends the last complete record does not count.
  std::int64_t newlines = 0;
  char block[k_scan_block];
  for (off_t end = size; end > 0;) {
    const off_t start = std::max<off_t>(0, end - k_scan_block);
    const ssize_t count = ::pread(fd, block, static_cast<std::size_t>(end - start), start);
    if (count <= 0) break;
    for (ssize_t i = count - 1; i >= 0; --i) {
      if (block[i] != '\n') continue;
      if (newlines == left) {
        left = 0;
        return start + i + 1;
      }
      ++newlines;
    }
    end = start;
  }
  left -= newlines;
  return 0;
}

}  // namespace

LogFileReader::LogFileReader(std::string directory) : directory_(std::move(directory)) {
  const auto numbers = log_numbers(directory_);
  if (!numbers.empty()) open(numbers.front());
}

void LogFileReader::open(int number) {
  ahead_.clear();
  number_ = number;
  at_ = 0;
  file_.reset(::open(log_path(directory_, number).c_str(), O_RDONLY | O_CLOEXEC));
}

off_t LogFileReader::size() const {
  struct stat info {};
  return file_ && ::fstat(file_.get(), &info) == 0 ? info.st_size : 0;
}

void LogFileReader::go_to_tail(std::int64_t records) {
  auto numbers = log_numbers(directory_);
  for (; !numbers.empty(); numbers.pop_back()) {
    open(numbers.back());
    if (file_) at_ = tail_start(file_.get(), size(), records);
    if (records == 0) return;
  }
}

void LogFileReader::skip_to_last(off_t bytes) {
  at_ = std::max(at_, size() - bytes);
}

void LogFileReader::stop_at_present_end() {
  const auto numbers = log_numbers(directory_);
  last_number_ = numbers.empty() ? number_ : numbers.back();
  struct stat info {};
  last_end_ = ::stat(log_path(directory_, last_number_).c_str(), &info) == 0 ? info.st_size : 0;
  keep_up();
}

void LogFileReader::keep_up() {
  constexpr std::size_t k_most_open_files = 50;  // half a gigabyte that a slow reader may keep open
  while (file_ && ahead_.size() < k_most_open_files) {
    const int next = (ahead_.empty() ? number_ : ahead_.back().number) + 1;
    Descriptor file(::open(log_path(directory_, next).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return;
    ahead_.push_back({next, std::move(file)});
  }
}

// True when the current file has a successor, and so no longer grows.
bool LogFileReader::has_successor() {
  keep_up();
  if (!ahead_.empty()) return true;
  const auto numbers = log_numbers(directory_);
  return !numbers.empty() && numbers.back() > number_;
}

bool LogFileReader::open_next() {
  if (!ahead_.empty()) {
    if (last_number_ >= 0 && ahead_.front().number > last_number_) return false;
    number_ = ahead_.front().number;
    file_ = std::move(ahead_.front().file);
    at_ = 0;
    ahead_.pop_front();
    return true;
  }
  const auto numbers = log_numbers(directory_);
  const auto next = std::ranges::upper_bound(numbers, number_);
  if (next == numbers.end() || (last_number_ >= 0 && *next > last_number_)) return false;
  has_leapt_ = has_leapt_ || *next != number_ + 1;
  open(*next);
  return true;
}

std::size_t LogFileReader::read(char* buffer, std::size_t size) {
  while (file_) {
    const bool is_last = number_ == last_number_;
    const off_t room = is_last ? std::max<off_t>(last_end_ - at_, 0) : static_cast<off_t>(size);
    const std::size_t wanted = std::min(static_cast<std::size_t>(room), size);
    ssize_t count = ::pread(file_.get(), buffer, wanted, at_);
    if (count <= 0) {
      if (is_last || !has_successor()) return 0;
      // Reads what was written between that read and the rotation.
      count = ::pread(file_.get(), buffer, wanted, at_);
    }
    if (count > 0) {
      at_ += count;
      return static_cast<std::size_t>(count);
    }
    if (!open_next()) return 0;
  }
  return 0;
}

}  // namespace trainctl::local
