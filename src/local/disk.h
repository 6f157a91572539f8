// The disk that the embedded cluster keeps its things on, when it is full.
#pragma once

#include <string>

#include <sys/types.h>

namespace trainctl::local {

// Where the file system of `path` is mounted: the name a user knows a disk by.
std::string disk_of(const std::string& path);
// "no space left on /home, the disk of PATH".
std::string disk_is_full(const std::string& path);

// Room on a disk that is given back when there is no other: to delete, and to end.
class DiskReserve {
 public:
  DiskReserve(std::string path, off_t size) : path_(std::move(path)), size_(size) {}
  // Takes the room where there is twice as much; nothing else changes when there is not.
  void hold();
  // False when there was nothing to give back.
  bool release();

 private:
  std::string path_;
  off_t size_;
  bool held_ = false;
};

}  // namespace trainctl::local
