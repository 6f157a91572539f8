// The files of a container's log: as a kubelet keeps them, five of 10 MiB, of which the oldest
// goes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <sys/types.h>

#include "local/descriptor.h"

namespace trainctl::local {

inline constexpr off_t k_log_file_size = off_t{10} << 20;
inline constexpr int k_log_files = 5;

// "log", "log.1", "log.2", …: numbers only grow, so that a file keeps its name.
std::string log_path(const std::string& directory, int number);
// Of the files that are there, the oldest first.
std::vector<int> log_numbers(const std::string& directory);

// Where the last `left` whole records begin among the first `size` bytes of a file; takes those
// found from `left`.
off_t tail_start(int fd, off_t size, std::int64_t& left);

// Reads the files one behind the other, also while a guard writes them and turns them over.
class LogFileReader {
 public:
  explicit LogFileReader(std::string directory);
  // Goes on with the last `records` whole records.
  void go_to_tail(std::int64_t records);
  // Leaves out what comes before the last `bytes` of the file it stands in.
  void skip_to_last(off_t bytes);
  // What is there now is all that is read.
  void stop_at_present_end();
  // Opens what has come since, so that it can be read after it was removed, too: to be called when
  // something changes, for the oldest file goes when a new one comes.
  void keep_up();
  // 0 at the present end.
  std::size_t read(char* buffer, std::size_t size);
  // A file was removed before it was read.
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
  int last_number_ = -1;  // -1 = there may come more
  off_t last_end_ = 0;
  std::deque<Next> ahead_;  // in order, without holes
  bool has_leapt_ = false;
};

}  // namespace trainctl::local
