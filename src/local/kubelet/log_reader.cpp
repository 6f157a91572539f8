// Reads log files in pieces, from the end where only the last lines are asked for.
#include "local/kubelet/log_reader.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

LogText::LogText(const LogQuestion& question)
    : timestamps_(question.timestamps),
      since_(question.since ? format_time(*question.since, true) : ""),
      limited_(question.limit_bytes.has_value()),
      left_(static_cast<std::size_t>(question.limit_bytes.value_or(0))) {}

void LogText::take(std::string_view bytes, std::string& text) {
  while (!bytes.empty() && !is_full()) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) {
      begun_ += bytes;
      return;
    }
    if (begun_.empty()) {
      take_record(bytes.substr(0, newline), text);
    } else {
      begun_ += bytes.substr(0, newline);
      take_record(begun_, text);
      begun_.clear();
    }
    bytes.remove_prefix(newline + 1);
  }
}

void LogText::take_record(std::string_view record, std::string& text) {
  // "STAMP stdout F TEXT"; stamps are all of one length and zone, so that they compare as text.
  constexpr std::string_view k_example = "2026-11-21T09:31:58.920034043Z stdout F ";
  constexpr std::size_t k_stamp = k_example.find(' ');
  constexpr std::size_t k_tag = k_example.size() - 2;
  if (record.size() < k_example.size()) return;
  const auto stamp = record.substr(0, k_stamp);
  if (stamp < std::string_view(since_)) return;
  std::string line;
  if (timestamps_ && at_line_start_) line = cat(stamp, ' ');
  line += record.substr(k_example.size());
  const bool ends = record[k_tag] == 'F';
  if (ends) line += '\n';
  at_line_start_ = ends;
  if (limited_) {
    line.resize(std::min(line.size(), left_));
    left_ -= line.size();
  }
  text += line;
}

namespace {
constexpr std::size_t k_block = 64 * 1024;
}

off_t tail_start(int fd, off_t size, std::int64_t records) {
  // The newline that ends the last whole record does not count.
  std::int64_t newlines = 0;
  char block[k_block];
  for (off_t end = size; end > 0;) {
    const off_t start = std::max<off_t>(0, end - static_cast<off_t>(k_block));
    const ssize_t count = ::pread(fd, block, static_cast<std::size_t>(end - start), start);
    if (count <= 0) return 0;
    for (ssize_t i = count - 1; i >= 0; --i) {
      if (block[i] != '\n') continue;
      if (newlines == records) return start + i + 1;
      ++newlines;
    }
    end = start;
  }
  return 0;
}

namespace {

class LogStream : public ApiStream {
 public:
  LogStream(LogWatcher& watcher, const std::string& directory, const LogQuestion& question)
      : text_(question), directory_(directory), follow_(question.follow) {
    const std::string path = cat(directory, "/", k_log_file);
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    // Made before the first look, so that nothing is missed between a look and the wait.
    if (follow_) {
      watch_ = watcher.watch(directory, [this] {
        if (ready_) ready_();
      });
    }
    struct stat info {};
    if (fd_ >= 0 && ::fstat(fd_, &info) == 0) end_ = info.st_size;
    if (question.tail_lines) at_ = tail_start(fd_, end_, *question.tail_lines);
  }
  ~LogStream() override {
    if (fd_ >= 0) ::close(fd_);
  }
  std::optional<std::string> read(std::size_t limit) override;
  void on_ready(std::function<void()> ready) override { ready_ = std::move(ready); }

 private:
  // False at the file's present end.
  bool read_block();

  LogText text_;
  std::string directory_;
  bool follow_;
  bool over_ = false;
  int fd_ = -1;
  off_t at_ = 0;
  off_t end_ = 0;  // what was there at first: all that is read of a log that is not followed
  std::string waiting_;
  std::size_t given_ = 0;
  std::function<void()> ready_;
  HandlePtr watch_;
};

bool LogStream::read_block() {
  char block[k_block];
  std::size_t size = sizeof block;
  if (!follow_) size = static_cast<std::size_t>(std::min<off_t>(k_block, end_ - at_));
  const ssize_t count = fd_ < 0 ? 0 : ::pread(fd_, block, size, at_);
  if (count <= 0) return false;
  at_ += count;
  text_.take({block, static_cast<std::size_t>(count)}, waiting_);
  return true;
}

std::optional<std::string> LogStream::read(std::size_t limit) {
  while (given_ == waiting_.size()) {
    waiting_.clear();
    given_ = 0;
    if (text_.is_full()) return std::nullopt;
    if (read_block()) continue;
    if (!follow_ || over_) return std::nullopt;
    // Looked at before the last read: what was written before the end is then all there.
    over_ = ::access(cat(directory_, "/", k_exit_file).c_str(), F_OK) == 0 ||
            ::access(directory_.c_str(), F_OK) != 0;
    if (!over_) return "";
  }
  std::string piece = waiting_.substr(given_, limit);
  given_ += piece.size();
  return piece;
}

}  // namespace

std::unique_ptr<ApiStream> open_log(LogWatcher& watcher, const std::string& directory,
                                    const LogQuestion& question) {
  return std::make_unique<LogStream>(watcher, directory, question);
}

}  // namespace trainctl::local
