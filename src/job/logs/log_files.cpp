// File names and buffers of saved logs.
#include "job/logs/log_files.h"

#include "base/text/text.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_file_buffer_full = std::size_t{64} << 10;

}  // namespace

LogFiles::LogFiles(Loop& loop, SaveBytes save, std::function<void(Error)> on_failure)
    : loop_(loop), save_(std::move(save)), on_failure_(std::move(on_failure)) {}

void LogFiles::add(const LogOrigin& origin, const kube::LogLine& line) {
  if (failed_) return;
  const std::string name = cat(origin.replica.name(), ".attempt-", origin.attempt, ".log");
  std::string& bytes = waiting_[name];
  bytes.append(line.text);
  if (line.complete) bytes.push_back('\n');
  if (bytes.size() >= k_file_buffer_full) {
    write(name, bytes);
  } else if (flush_timer_ == nullptr) {
    flush_timer_ = loop_.after({}, [this] { flush(); });
  }
}

void LogFiles::flush() {
  flush_timer_.reset();
  for (auto& [name, bytes] : waiting_) write(name, bytes);
  waiting_.clear();
}

void LogFiles::write(const std::string& name, std::string& bytes) {
  if (failed_ || bytes.empty()) return;
  Status saved = save_(name, bytes);
  bytes.clear();
  if (saved) return;
  failed_ = true;
  on_failure_(std::move(saved).error());
}

}  // namespace trainctl::job
