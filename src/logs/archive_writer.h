// Keeps the printed lines of a followed job in one file: its beginning and its end, of a bounded
// size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/loop.h"
#include "logs/log_printer.h"

namespace trainctl::job {

// One line of a log as the history keeps it: fields that tabs separate, the text last.
struct ArchivedLine {
  std::string replica;  // "worker-1"; "" = a gap
  std::optional<int> rank;
  std::string container;
  int attempt = 1;
  kube::LogLine line;
  std::size_t left_out = 0;  // of a gap: how many lines are missing
};

// The line with its newline.
std::string archived_line(const LogOrigin& origin, const kube::LogLine& line);
// The beginning of a gap. A replica's line begins with its name, so it never begins like this.
inline constexpr std::string_view k_gap_begins = "\t\t\t\t\t\t";
// The text of a kept line without its newline; empty for a damaged one.
std::string_view archived_text(std::string_view line);
// Lines that are damaged, or not whole, are left out.
std::vector<ArchivedLine> read_archived_lines(std::string_view content);

inline constexpr std::size_t k_most_archived = std::size_t{4} << 20U;
inline constexpr std::size_t k_archived_beginning = std::size_t{1} << 20U;
inline constexpr std::size_t k_archived_end = std::size_t{2} << 20U;  // at least, of a longer log

// The file for the lines; unset functions = there is none.
struct ArchiveFile {
  std::function<Status(std::string_view bytes)> append;
  std::function<Status(std::string_view bytes)> replace;  // creates the file as well
};

class ArchiveWriter {
 public:
  // `on_failure` is called by finish() where the file lacks lines.
  ArchiveWriter(Loop& loop, ArchiveFile file, std::function<void(Error)> on_failure);

  // The first line replaces what an earlier command has kept.
  void add(const LogOrigin& origin, const kube::LogLine& line);
  // Writes what is buffered now; otherwise that happens at the end of the loop's turn. A file that
  // cannot be written is tried once more at the end: perhaps there were only too many open files.
  void flush();
  void finish();

 private:
  Loop& loop_;
  ArchiveFile file_;
  std::function<void(Error)> on_failure_;
  bool is_begun_ = false;    // the file is what this command has written
  bool lacks_some_ = false;  // it could not be written
  std::string content_;      // of the file
  std::string waiting_;      // for flush()
  HandlePtr flush_timer_;
};

}  // namespace trainctl::job
