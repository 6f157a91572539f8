// Trouble with old logs is none of the run's: they are tried again by the next.
#include "history/log_archive.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/file/own_file.h"
#include "base/text/text.h"
#include "history/history.h"
#include "logs/archive_writer.h"

namespace trainctl::work {
namespace {

namespace fs = std::filesystem;

struct OldLog {
  fs::path path;
  fs::file_time_type written;
  std::size_t size = 0;
};

std::vector<OldLog> newest_first(const std::string& directory) {
  std::vector<OldLog> logs;
  std::error_code trouble;
  for (fs::directory_iterator at(directory, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    std::error_code gone;
    OldLog log{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (!gone) logs.push_back(std::move(log));
  }
  std::ranges::sort(logs, std::ranges::greater(), &OldLog::written);
  return logs;
}

bool is_file_name(const std::string& uid) {
  return !uid.empty() &&
         std::ranges::all_of(uid, [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

// A log whose lines are all older than those of the new one is of pods that are gone: the job was
// stopped and resumed.
Status set_aside(Files& files, const std::string& path, const std::string& old,
                 std::string_view bytes) {
  std::optional<Time> last, first;
  for (const job::ArchivedLine& line : job::read_archived_lines(old)) {
    last = std::max(last, line.line.stamp);
  }
  for (const job::ArchivedLine& line : job::read_archived_lines(bytes)) {
    if (line.line.stamp) first = std::min(first.value_or(*line.line.stamp), *line.line.stamp);
  }
  if (!last || !first || *first <= *last) return {};
  long turn = 1;
  while (files.exists(cat(path, '.', turn))) ++turn;
  return files.write(cat(path, '.', turn), old, Readers::owner);
}

}  // namespace

std::string archived_log_path(const Environment& environment, const std::string& uid,
                              std::optional<long> turn) {
  const std::string history = history_path(environment);
  if (history.empty() || !is_file_name(uid)) return "";
  const std::string path = cat(directory_of(history), "/logs/", uid);
  return turn ? cat(path, '.', *turn) : path;
}

long count_archived_logs(Files& files, const Environment& environment, const std::string& uid) {
  long earlier = 0;
  while (files.exists(archived_log_path(environment, uid, earlier + 1))) ++earlier;
  return earlier + (files.exists(archived_log_path(environment, uid)) ? 1 : 0);
}

void remove_oldest_logs(const std::string& directory, std::size_t most) {
  std::size_t size = 0;
  for (const OldLog& log : newest_first(directory)) {
    size += log.size;
    std::error_code trouble;
    if (size > most) fs::remove(log.path, trouble);
  }
}

job::ArchiveFile archived_log_file(Access& access, const std::string& uid) {
  const std::string path = archived_log_path(access.environment, uid);
  if (path.empty() || !access.history) return {};
  Files& files = access.files;
  job::ArchiveFile file;
  file.append = [&files, path](std::string_view bytes) { return files.append(path, bytes); };
  // Only the first write can meet the log of an earlier command.
  const auto begun = std::make_shared<bool>(false);
  file.replace = [&files, path, begun](std::string_view bytes) -> Status {
    if (!std::exchange(*begun, true)) {
      if (const auto old = read_own_file(files, path)) TRY(set_aside(files, path, *old, bytes));
    }
    remove_oldest_logs(directory_of(path), k_most_of_all_logs - job::k_most_archived);
    return files.write(path, bytes, Readers::owner);
  };
  return file;
}

std::string matching_lines(std::string_view content, const Pattern& pattern) {
  std::string matching;
  for (std::size_t begin = 0, end = 0; (end = content.find('\n', begin)) != std::string_view::npos;
       begin = end + 1) {
    const std::string_view line = content.substr(begin, end - begin);
    if (line.starts_with(job::k_gap_begins) || !pattern.found_in(job::archived_text(line)))
      continue;
    matching.append(line).push_back('\n');
  }
  return matching;
}

}  // namespace trainctl::work
