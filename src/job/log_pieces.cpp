// Numbers the pieces of long lines and gives each the stamp of its line.
#include "job/log_pieces.h"

#include <utility>

#include "base/hash.h"

namespace trainctl::job {
namespace {

// kube/log_stream.h cuts long lines at 1 MiB, the stamp included: shorter pieces are a stream's
// end.
constexpr std::size_t k_whole_piece = (std::size_t{1} << 20) - 64;

LogPiece numbered(const kube::LogLine& line, std::uint64_t number) {
  const auto stamp = line.stamp->time_since_epoch();
  const auto place = static_cast<std::uint64_t>(stamp.count()) * 31 + number;
  return {line, std::chrono::floor<std::chrono::seconds>(stamp).count(),
          hash_of(line.text) + place * 0x9E3779B97F4A7C15ULL};
}

}  // namespace

KeptPiece::KeptPiece(const LogPiece& piece)
    : stamp_(*piece.line.stamp),
      stamp_text_(piece.line.stamp_text),
      text_(piece.line.text),
      complete_(piece.line.complete),
      second_(piece.second),
      hash_(piece.hash) {}

kube::LogLine KeptPiece::line() const {
  return {stamp_, stamp_text_, text_, complete_};
}

bool LogPieces::is_begin_of(const Held& held, const kube::LogLine& line, std::uint64_t number) {
  const kube::LogLine begin = held.piece.line();
  return number == held.number && line.stamp_text == begin.stamp_text &&
         line.text.starts_with(begin.text);
}

bool LogPieces::is_cut(const kube::LogLine& line) {
  return !line.complete && line.text.size() < k_whole_piece;
}

std::optional<LogPiece> LogPieces::take(const kube::LogLine& line) {
  // Nearly all lines: whole, with nothing that they could belong to.
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

std::optional<KeptPiece> LogPieces::release() {
  if (!held_) return std::nullopt;
  KeptPiece piece = std::move(held_->piece);
  held_.reset();
  return piece;
}

}  // namespace trainctl::job
