// Writes files, directories and links below one directory and nowhere else, regardless of their
// paths and of existing entries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/descriptor.h"
#include "base/result.h"

namespace trainctl {

// The names in a relative path, without "." and empty ones. Code::refused for an absolute path, one
// with "..", and one with a NUL.
Result<std::vector<std::string>> steps_in(const std::string& path);

// True when a link with this target, `depth` directories below the root, cannot lead out. It goes
// up first and then only down, so other such links on its way do not matter.
bool stays_inside(const std::string& target, std::size_t depth);

// The error that refuses a path.
Error path_refusal(std::string_view path, std::string_view why);

// The mode of a temporary file while it is written; a file with another mode is a user's.
inline constexpr unsigned k_copy_mode = 0600;
// Holds the file as long as `file` is open, so that no other process takes it for abandoned.
void hold_copy(int file);

struct PlacedFacts {
  // Only the permissions that the umask leaves are used: no setuid, setgid or sticky bit.
  unsigned mode = 0;
  std::int64_t modified = 0;
};

// Paths may hold any bytes but NUL. Code::refused for a path that is absolute, has "..", or leads
// through a symbolic link, and for an entry that would replace a directory, a device or a pipe;
// Code::error for other errors of the system. Each names the path.
class ExtractionRoot {
 public:
  // Creates the directory if there is none; it may be reached through links of this user or root.
  static Result<ExtractionRoot> open(const std::string& directory);
  static ExtractionRoot at(Descriptor directory);
  // Removes a file that was begun and not finished.
  ~ExtractionRoot();
  ExtractionRoot(ExtractionRoot&&) noexcept;
  ExtractionRoot& operator=(ExtractionRoot&&) noexcept;

  // Missing directories above are created. A directory that exists keeps its mode.
  Status make_directory(const std::string& path, const PlacedFacts& facts);
  // A file is written under a temporary name beside its own, and renamed when it is finished.
  Status begin_file(const std::string& path);
  Status write(std::string_view bytes);
  std::uint64_t written() const;  // bytes of the file begun
  Status finish_file(const PlacedFacts& facts);
  void drop_file();
  // A target that leads out of the directory is refused. Accepted links cannot lead out either,
  // not even through one another.
  Status make_symlink(const std::string& path, const std::string& target);
  // The target is a file in the tree.
  Status make_hard_link(const std::string& path, const std::string& target);
  // Gives the new directories their modes and times, which must come last.
  Status finish();

 private:
  struct State;
  explicit ExtractionRoot(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace trainctl
