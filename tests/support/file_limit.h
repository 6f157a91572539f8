// Sets a low limit of open files (RLIMIT_NOFILE) while the object lives.
#pragma once

#include <stdexcept>

#include <sys/resource.h>

namespace trainctl::testing {

class FileLimit {
 public:
  explicit FileLimit(rlim_t soft) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = soft;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("no limit of open files");
  }
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace trainctl::testing
