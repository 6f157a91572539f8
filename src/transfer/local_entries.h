// Lists a directory of this machine, in the order in which it is copied.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/descriptor.h"
#include "base/file/tar.h"
#include "base/result.h"

namespace trainctl::work {

// Everything below the directory but itself; paths begin with "./", and a directory comes before
// what it holds. An entry that no archive can hold is passed to `leave_out`.
Result<std::vector<TarEntry>> local_entries(const std::string& directory,
                                            const std::function<void(const Error&)>& leave_out);
// Returns the file or directory at a path, through links; Code::usage for any other object, or
// none. The error has the path as it was typed.
Result<TarEntry> local_entry(const std::string& path, const std::string& typed);

// A file that is read at any offset.
class LocalFile {
 public:
  static Result<LocalFile> open(const std::string& path);

  // At most 128 KiB, valid until the next call; "" at the end of the file.
  Result<std::string_view> read(std::uint64_t at);

 private:
  LocalFile(std::string path, Descriptor file);
  std::string path_;
  Descriptor file_;
  std::vector<char> buffer_;
};

}  // namespace trainctl::work
