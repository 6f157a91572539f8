// The file system as trainctl uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl {

// A file's owner and permissions, seen from this process.
struct FileFacts {
  bool is_regular = true;
  bool is_ours = true;        // owned by this user or root
  bool others_write = false;  // writable by its group or by everybody
  bool everybody_reads = false;
  std::string real_path = {};  // its path with every symbolic link resolved
  std::size_t size = 0;
};

// An entry of a directory; a symbolic link is a link, wherever it leads.
struct FileNode {
  enum class Kind { file, directory, link, other };
  Kind kind = Kind::other;
  std::uint64_t size = 0;
  bool is_executable = false;
  bool is_readable = true;  // by this process; a directory: can be listed and entered
  std::string target = {};  // of a link, as it is written
  std::string stamp = {};   // differs after the content may have changed
};

// A file as it was opened once: its content, and the facts of exactly what was read.
struct OpenedFile {
  FileFacts facts;
  Result<std::string> content = std::string();  // "" where there is nothing regular to read
};

// A file as it was after it had been read.
struct ReadNode {
  FileNode node;
  Result<std::string> content;
};

// The users who may read a file once it is written.
enum class Readers {
  as_before,     // as the replaced file's mode says, or for a new file the umask
  owner_if_new,  // as the replaced file's mode says, or for a new file its owner alone
  owner,         // its owner alone, whatever its mode was; created directories are private as well
};

class Files {
 public:
  virtual ~Files() = default;

  // Reads the whole content. Code::not_found when there is no such file, Code::usage for a
  // directory, an unreadable file or one above 64 MiB; the message names the path.
  virtual Result<std::string> read(const std::string& path) = 0;
  // Opens the path once, and takes facts and content from what was opened, so that a swap between
  // the two cannot matter. Blocks on no pipe. nullopt when there is no such file.
  virtual std::optional<OpenedFile> open_once(const std::string& path) = 0;
  // Replaces a regular file atomically (temporary name, then rename), creating missing directories;
  // anything else, such as a device or a pipe, is written to.
  virtual Status write(const std::string& path, std::string_view content,
                       Readers readers = Readers::as_before) = 0;
  // Appends to the file, creating it and missing directories; bytes written before a failure stay.
  virtual Status append(const std::string& path, std::string_view content) = 0;
  // Checks whether write() would succeed, without changing existing files; missing directories are
  // created.
  virtual Status check_writable(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  // The facts of the file that the path leads to through symbolic links; nullopt when there is
  // none. Opens nothing, so that a pipe cannot block it.
  virtual std::optional<FileFacts> facts(const std::string& path) = 0;
  // Returns the entry that the path itself names; nullopt when it is missing or cannot be read.
  virtual std::optional<FileNode> node(const std::string& path) = 0;
  // Reads the entry at a path below a directory, without following a link on the way; `node`
  // describes exactly what was read. nullopt where a link is on the way, or nothing can be opened.
  // Blocks on no pipe.
  virtual std::optional<ReadNode> read_below(const std::string& directory,
                                             const std::string& path) = 0;
  // Names in a directory, sorted; empty when it cannot be read.
  virtual std::vector<std::string> list(const std::string& directory) = 0;
};

// The directory part of a path ("." when there is none), and a path resolved against a directory
// unless it is absolute.
std::string directory_of(const std::string& path);
std::string resolve_path(const std::string& directory, const std::string& path);

}  // namespace trainctl
