// The file system as trainctl uses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl {

// Whose a file is and who may use it, seen from this process.
struct FileFacts {
  bool is_regular = true;
  bool is_ours = true;        // this user's, or root's
  bool others_write = false;  // its group, or everybody
  bool everybody_reads = false;
  std::string real_path = {};  // where it is once every symbolic link is followed
  std::size_t size = 0;
};

class Files {
 public:
  virtual ~Files() = default;

  // Whole content. Code::not_found when there is no such file, Code::usage for a directory, an
  // unreadable file or one above 64 MiB; the message names the path.
  virtual Result<std::string> read(const std::string& path) = 0;
  // Replaces the file in one step (temporary name, then rename), creating missing directories.
  virtual Status write(const std::string& path, std::string_view content) = 0;
  // Adds to the end of the file, creating it and missing directories; what was written before a
  // failure stays.
  virtual Status append(const std::string& path, std::string_view content) = 0;
  // Whether write() would do, found out without touching what is there; missing directories are
  // created.
  virtual Status check_writable(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  // Of what the path leads to through symbolic links; nullopt when there is nothing. Opens nothing,
  // so that no pipe can hold it up.
  virtual std::optional<FileFacts> facts(const std::string& path) = 0;
  // Names in a directory, sorted; empty when it cannot be read.
  virtual std::vector<std::string> list(const std::string& directory) = 0;
};

// The directory part ("." when there is none), and a path relative to a directory unless absolute.
std::string directory_of(const std::string& path);
std::string resolve_path(const std::string& directory, const std::string& path);

}  // namespace trainctl
