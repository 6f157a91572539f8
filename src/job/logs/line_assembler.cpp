// Numbers the pieces of long lines and gives each the stamp of its line.
#include "job/logs/line_assembler.h"

#include <cstring>
#include <string_view>
#include <utility>

namespace trainctl::job {
namespace {

// kube/log_stream.h cuts lines at 1 MiB, stamp included, so a shorter unfinished piece is the end
// of a stream.
constexpr std::size_t k_whole_piece = (std::size_t{1} << 20) - 64;

// The last bytes of a line, where lines with equal beginnings differ: counters and measured values.
std::uint64_t end_of(std::string_view text) {
  std::uint64_t end = 0;
  if (text.size() >= sizeof end) {
    std::memcpy(&end, text.data() + text.size() - sizeof end, sizeof end);
  } else if (!text.empty()) {
    std::memcpy(&end, text.data(), text.size());
  }
  return end;
}

std::uint64_t mixed(std::uint64_t number) {
  number *= 0x9E3779B97F4A7C15U;  // an odd number without a regular bit pattern
  return number ^ number >> 32U;
}

LogPiece numbered(const kube::LogLine& line, std::uint64_t number) {
  const auto stamp = static_cast<std::uint64_t>(line.stamp->time_since_epoch().count());
  return {line, mixed(mixed(stamp + mixed(number)) ^ (end_of(line.text) + line.text.size()))};
}

}  // namespace

KeptPiece::KeptPiece(const LogPiece& piece)
    : stamp_(*piece.line.stamp),
      stamp_text_(piece.line.stamp_text),
      text_(piece.line.text),
      complete_(piece.line.complete),
      mark_(piece.mark) {}

kube::LogLine KeptPiece::line() const {
  return {stamp_, stamp_text_, text_, complete_};
}

bool LineAssembler::is_begin_of(const Held& held, const kube::LogLine& line, std::uint64_t number) {
  const kube::LogLine begin = held.piece.line();
  return number == held.number && line.stamp_text == begin.stamp_text &&
         line.text.starts_with(begin.text);
}

bool LineAssembler::is_cut(const kube::LogLine& line) {
  return !line.complete && line.text.size() < k_whole_piece;
}

std::optional<LogPiece> LineAssembler::take(const kube::LogLine& line) {
  // Fast path for nearly all lines: complete, with no unfinished piece before them.
  if (line.complete && !goes_on_ && !held_) return numbered(line, 0);
  piece_ = line;
  if (std::exchange(goes_on_, !line.complete)) {
    piece_.stamp = stamp_;
    piece_.stamp_text = stamp_text_;
  } else {
    number_ = 0;
    if (goes_on_) {
      stamp_ = *line.stamp;
      stamp_text_ = line.stamp_text;
    }
  }
  const std::uint64_t number = number_++;
  if (is_cut(line)) {
    held_.emplace(Held{KeptPiece(numbered(piece_, number)), number});
    return std::nullopt;
  }
  if (held_ && is_begin_of(*held_, piece_, number)) held_.reset();
  return numbered(piece_, number);
}

std::optional<Time> LineAssembler::held_stamp() const {
  return held_ ? held_->piece.line().stamp : std::nullopt;
}

std::optional<KeptPiece> LineAssembler::release() {
  if (!held_) return std::nullopt;
  KeptPiece piece = std::move(held_->piece);
  held_.reset();
  return piece;
}

}  // namespace trainctl::job
