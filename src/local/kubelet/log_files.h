// The files of a container's log: at least five of 10 MiB each, as a kubelet keeps them. The oldest
// is removed.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/file/descriptor.h"

namespace trainctl::local {

inline constexpr off_t k_log_file_size = off_t{10} << 20;
inline constexpr int k_log_files = 5;  // at least
// The number of ended runs of a container whose logs are kept, so that a slow reader reads each to
// its end.
inline constexpr int k_kept_runs = 4;
// Limits the logs of all replicas of a job, in bytes.
inline constexpr std::int64_t k_job_log_limit = std::int64_t{2} << 30;
// The number of files of each run's log, so that the logs of a job with this many replicas take
// about `job_limit` bytes.
int log_files_of_run(std::int64_t job_limit, std::int64_t replicas);

// The path of a log file: "log", "log.1", "log.2", …; numbers only grow, so that a file keeps its
// name.
std::string log_path(const std::string& directory, int number);
// The numbers of the existing files, oldest first.
std::vector<int> log_numbers(const std::string& directory);

// Reads the files one after the other, also while a guard writes and rotates them.
class LogFileReader {
 public:
  explicit LogFileReader(std::string directory);
  // Continues with the last `records` complete records.
  void go_to_tail(std::int64_t records);
  // Skips everything before the last `bytes` of the current file.
  void skip_to_last(off_t bytes);
  // Reads no further than the present end.
  void stop_at_present_end();
  // Opens new files, so that they can still be read after their removal; call it at each change,
  // since the oldest file is removed when a new one comes.
  void keep_up();
  // 0 at the present end.
  std::size_t read(char* buffer, std::size_t size);
  // True when a file was removed before it was read.
  bool has_leapt() const { return has_leapt_; }

 private:
  struct Next {
    int number = 0;
    Descriptor file;
  };
  void open(int number);
  bool has_successor();
  bool open_next();
  off_t size() const;

  std::string directory_;
  int number_ = 0;
  Descriptor file_;
  off_t at_ = 0;
  int last_number_ = -1;  // -1 = more files may come
  off_t last_end_ = 0;
  std::deque<Next> ahead_;  // consecutive files, in order
  bool has_leapt_ = false;
};

}  // namespace trainctl::local
