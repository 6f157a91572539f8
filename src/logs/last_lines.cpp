// Keeps a ring buffer of bytes for each replica.
#include "logs/last_lines.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "logs/significant_lines.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_longest_line = 500;  // bytes
constexpr std::size_t k_ring_step = 128;     // bytes by which a ring grows

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

std::string digest_line(std::string_view line) {
  if (line.size() <= k_longest_line) return std::string(line);
  constexpr std::string_view k_ellipsis = "…";
  std::size_t end = k_longest_line - k_ellipsis.size();
  for (int back = 0; back < 3 && continues_character(line[end]); ++back) --end;
  return std::string(line.substr(0, end)) + std::string(k_ellipsis);
}

void LastLines::begin(const ReplicaId& replica, const RunId& run) {
  const auto [entry, is_first] = kept_.try_emplace(replica);
  Runs& runs = entry->second;
  if (is_first) runs.latest.id = run;
  if (runs.find(run) != nullptr) return;
  runs.before = std::make_unique<Run>(std::exchange(runs.latest, {run, {}}));
}

void LastLines::add(const ReplicaId& replica, const RunId& run, std::string_view text) {
  const auto found = kept_.find(replica);
  if (found == kept_.end()) return;
  if (!is_telling(text)) return;
  Runs& runs = found->second;
  std::string cut;
  if (text.size() > k_longest_line) text = cut = digest_line(text);
  if (runs.latest.id == run) return runs.latest.lines.add(text);
  if (runs.before != nullptr && runs.before->id == run) runs.before->lines.add(text);
}

std::optional<std::vector<std::string>> LastLines::of(const ReplicaId& replica,
                                                      const RunId& run) const {
  const auto found = kept_.find(replica);
  const Run* kept = found == kept_.end() ? nullptr : found->second.find(run);
  if (kept == nullptr) return std::nullopt;
  return kept->lines.lines();
}

std::vector<std::string> LastLines::latest(const ReplicaId& replica) const {
  const auto found = kept_.find(replica);
  return found == kept_.end() ? std::vector<std::string>{} : found->second.latest.lines.lines();
}

const LastLines::Run* LastLines::Runs::find(const RunId& run) const {
  if (latest.id == run) return &latest;
  return before != nullptr && before->id == run ? before.get() : nullptr;
}

void LastLines::Ring::add(std::string_view line) {
  if (count_ == k_digest_lines) drop_oldest();
  const std::size_t size = size_ + line.size() + 1;
  if (size > bytes_.size()) grow(size);
  write(line);
  write("\n");
  ++count_;
}

void LastLines::Ring::write(std::string_view text) {
  const std::size_t at = (begin_ + size_) % bytes_.size();
  const std::size_t before_end = std::min(text.size(), bytes_.size() - at);
  text.copy(bytes_.data() + at, before_end);
  text.substr(before_end).copy(bytes_.data(), text.size() - before_end);
  size_ += text.size();
}

void LastLines::Ring::drop_oldest() {
  std::size_t end = bytes_.find('\n', begin_);
  if (end == std::string::npos) end = bytes_.find('\n') + bytes_.size();
  size_ -= end + 1 - begin_;
  begin_ = (end + 1) % bytes_.size();
  --count_;
}

void LastLines::Ring::grow(std::size_t size) {
  std::string larger((size + k_ring_step - 1) / k_ring_step * k_ring_step, '\0');
  text().copy(larger.data(), size_);
  bytes_ = std::move(larger);
  begin_ = 0;
}

std::string LastLines::Ring::text() const {
  std::string text = bytes_.substr(begin_, size_);
  return text + bytes_.substr(0, size_ - text.size());
}

std::vector<std::string> LastLines::Ring::lines() const {
  std::vector<std::string> lines = split(text(), '\n');
  lines.pop_back();  // the text after the last newline
  return lines;
}

}  // namespace trainctl::job
