// Trouble with old logs is none of the run's: they are tried again by the next.
#include "work/history/kept_logs.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/text/text.h"
#include "work/history/history.h"

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
  return !uid.empty() && std::ranges::all_of(uid, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

}  // namespace

std::string kept_log_path(const Environment& environment, const std::string& uid) {
  const std::string history = history_path(environment);
  if (history.empty() || !is_file_name(uid)) return "";
  return cat(directory_of(history), "/logs/", uid);
}

void remove_oldest_logs(const std::string& directory, std::size_t most) {
  std::size_t size = 0;
  for (const OldLog& log : newest_first(directory)) {
    size += log.size;
    std::error_code trouble;
    if (size > most) fs::remove(log.path, trouble);
  }
}

job::KeptLogFile kept_log_file(Access& access, const std::string& uid) {
  const std::string path = kept_log_path(access.environment, uid);
  if (path.empty() || !access.history) return {};
  Files& files = access.files;
  job::KeptLogFile file;
  file.append = [&files, path](std::string_view bytes) { return files.append(path, bytes); };
  file.replace = [&files, path](std::string_view bytes) {
    remove_oldest_logs(directory_of(path), k_most_of_all_logs - job::k_most_kept);
    return files.write_private(path, bytes);
  };
  return file;
}

}  // namespace trainctl::work
