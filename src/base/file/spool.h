// Bytes waiting for a slow reader: a queue, bounded in memory and continued in an unlinked file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl {

class Spool {
 public:
  static constexpr std::size_t k_in_memory = std::size_t{8} << 20;

  // `directory` is where the file is created once there are more than `in_memory` bytes.
  explicit Spool(std::string directory, std::size_t in_memory = k_in_memory);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Always accepts all bytes. Code::error, with the system's reason, when the file cannot hold
  // them: they stay in memory beyond its bound, and the sender should be held back until there is
  // room again.
  Status push(std::string_view bytes);
  // False from a failed push until all bytes waiting then have been taken.
  bool has_room() const { return beyond_.empty(); }

  // The oldest bytes in one piece of at most some MiB, valid until the next call. Code::error when
  // the file cannot be read. Must not be called on an empty spool.
  Result<std::string_view> front();
  void pop(std::size_t count);

  bool empty() const { return size() == 0; }
  std::uint64_t size() const;

 private:
  Status push_to_file(std::string_view bytes);
  Status refill();
  std::uint64_t in_file() const { return file_end_ - file_begin_; }

  std::string directory_;
  std::size_t in_memory_;
  std::string head_;  // the oldest bytes; those from head_begin_ on are not taken yet
  std::size_t head_begin_ = 0;
  int file_ = -1;
  std::uint64_t file_begin_ = 0, file_end_ = 0;
  std::string beyond_;  // the newest bytes, when the file could not hold them
};

}  // namespace trainctl
