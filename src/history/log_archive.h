// The logs that the history keeps of followed runs: one file each, which only its owner may read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/pattern.h"
#include "logs/archive_writer.h"
#include "work/access.h"

namespace trainctl::work {

inline constexpr std::size_t k_most_of_all_logs = std::size_t{64} << 20U;

// Beside the history: logs/UID; "" where there is no history, or the uid is not a file's name. Logs
// of the job's earlier turns, before a stop and a resume, are UID.1, UID.2, … (`turn` from 1).
std::string archived_log_path(const Environment& environment, const std::string& uid,
                              std::optional<long> turn = {});
// How many logs are kept of the job.
long count_archived_logs(Files& files, const Environment& environment, const std::string& uid);
// The file for a run's log. Its first write makes room: the oldest logs go first. What an earlier
// turn has kept is set aside.
job::ArchiveFile archived_log_file(Access& access, const std::string& uid);
// Removes the oldest files of a directory until the others have at most this many bytes.
void remove_oldest_logs(const std::string& directory, std::size_t most);

// The lines of a kept log whose text matches, as they are kept. A gap is not a line.
std::string matching_lines(std::string_view content, const Pattern& pattern);

}  // namespace trainctl::work
