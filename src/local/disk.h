// Keeps the embedded cluster usable when the disk with its files is full.
#pragma once

#include <string>

#include <sys/types.h>

namespace trainctl::local {

// "no space left on /home, the disk of PATH".
std::string disk_is_full(const std::string& path);

// Logs leave this space free for the writes that end containers: more than the store's reserve,
// which logs would otherwise use up as soon as it is released.
inline constexpr unsigned long long k_left_by_logs = 3ULL << 20;
// Returns why the embedded cluster with these files makes no progress; "" = the disk has room.
std::string what_disk_hinders(const std::string& path);

// Reserved space on a disk, released when there is no other, so that deleting and ending still
// work.
class DiskReserve {
 public:
  DiskReserve(std::string path, off_t size) : path_(std::move(path)), size_(size) {}
  // Reserves the space where twice as much is free; otherwise does nothing.
  void hold();
  // Releases the space; false when none was reserved.
  bool release();

 private:
  std::string path_;
  off_t size_;
  bool held_ = false;
};

}  // namespace trainctl::local
