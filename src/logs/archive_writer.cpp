// A copy of the file is in memory, so that shortening it reads nothing back.
#include "logs/archive_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_fields_before_text = k_gap_begins.size();
constexpr std::string_view k_partial = "partial";

// A line is REPLICA, RANK, CONTAINER, ATTEMPT, "partial" or "", TIME, TEXT. A gap has only a TEXT:
// how many lines are missing.
std::optional<ArchivedLine> read_archived_line(std::string_view bytes) {
  std::array<std::string_view, k_fields_before_text> fields;
  for (std::string_view& field : fields) {
    const std::size_t end = bytes.find('\t');
    if (end == std::string_view::npos) return std::nullopt;
    field = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
  }
  const auto& [replica, rank, container, attempt, partial, stamp] = fields;
  ArchivedLine kept;
  kept.replica = replica;
  kept.rank = parse_number<int>(rank);
  kept.container = container;
  kept.attempt = parse_number<int>(attempt).value_or(1);
  kept.line.stamp_text = stamp;
  kept.line.stamp = parse_time(stamp);
  kept.line.text = bytes;
  kept.line.complete = partial != k_partial;
  if (replica.empty()) kept.left_out = parse_number<std::size_t>(bytes).value_or(0);
  return kept;
}

}  // namespace

std::string archived_line(const LogOrigin& origin, const kube::LogLine& line) {
  return cat(origin.replica.name(), '\t', origin.rank ? std::to_string(*origin.rank) : "", '\t',
             origin.container, '\t', origin.attempt, '\t', line.complete ? "" : k_partial, '\t',
             line.stamp_text, '\t', line.text, '\n');
}

namespace {

std::string kept_gap(std::size_t left_out) {
  return cat(k_gap_begins, left_out, '\n');
}

}  // namespace

std::string_view archived_text(std::string_view line) {
  for (std::size_t field = 0; field < k_fields_before_text; ++field) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line;
}

std::vector<ArchivedLine> read_archived_lines(std::string_view content) {
  std::vector<ArchivedLine> lines;
  for (;;) {
    const std::size_t end = content.find('\n');
    if (end == std::string_view::npos) return lines;
    if (auto line = read_archived_line(content.substr(0, end))) lines.push_back(*std::move(line));
    content.remove_prefix(end + 1);
  }
}

namespace {

constexpr std::size_t k_archive_buffer_full = std::size_t{64} << 10U;

// npos: nothing was left out yet.
std::size_t gap_in(std::string_view content) {
  if (content.starts_with(k_gap_begins)) return 0;
  const std::size_t before = content.find(cat('\n', k_gap_begins));
  return before == std::string_view::npos ? before : before + 1;
}

// Leaves the first k_archived_beginning and the last k_archived_end bytes in whole lines, and
// between them a line that says how many lines are left out.
void drop_middle(std::string& text) {
  const std::string_view content = text;
  const std::size_t old_gap = gap_in(content);
  const bool is_first = old_gap == std::string_view::npos;
  const std::size_t head = is_first ? content.rfind('\n', k_archived_beginning - 1) + 1 : old_gap;
  const std::size_t from = is_first ? head : content.find('\n', head) + 1;
  const std::size_t tail = content.find('\n', content.size() - k_archived_end - 1) + 1;
  std::size_t left_out =
      is_first ? 0 : read_archived_lines(content.substr(head, from - head))[0].left_out;
  left_out += static_cast<std::size_t>(std::ranges::count(content.substr(from, tail - from), '\n'));
  text.replace(head, tail - head, kept_gap(left_out));
}

}  // namespace

ArchiveWriter::ArchiveWriter(Loop& loop, ArchiveFile file, std::function<void(Error)> on_failure)
    : loop_(loop), file_(std::move(file)), on_failure_(std::move(on_failure)) {}

void ArchiveWriter::add(const LogOrigin& origin, const kube::LogLine& line) {
  if (!file_.append) return;
  waiting_ += archived_line(origin, line);
  if (waiting_.size() >= k_archive_buffer_full) {
    flush();
  } else if (flush_timer_ == nullptr) {
    flush_timer_ = loop_.after({}, [this] { flush(); });
  }
}

void ArchiveWriter::flush() {
  flush_timer_.reset();
  if (waiting_.empty()) return;
  // Growing by doubling would hold three times as much; untouched memory costs nothing.
  content_.reserve(k_most_archived + 2 * k_archive_buffer_full);
  content_ += waiting_;
  const bool is_long = content_.size() > k_most_archived;
  if (is_long) drop_middle(content_);
  if (!lacks_some_) {
    const bool anew = is_long || !is_begun_;
    lacks_some_ = !(anew ? file_.replace(content_) : file_.append(waiting_));
  }
  is_begun_ = true;
  waiting_.clear();
}

void ArchiveWriter::finish() {
  flush();
  if (!std::exchange(lacks_some_, false)) return;
  if (Status kept = file_.replace(content_); !kept) on_failure_(std::move(kept).error());
}

}  // namespace trainctl::job
