// Turns a stream's lines into printable pieces: long lines come in several, and a line that was cut
// off is held back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/stream/log_stream.h"

namespace trainctl::job {

// A line, or a piece of a long one. `line` refers to the buffer it was taken from and is valid
// until the next piece at most.
struct LogPiece {
  // Carries its stamp even where the stream had it on the first piece only.
  const kube::LogLine& line;
  // Identifies the piece on every connection. Lines with equal stamps may share a mark: they arrive
  // in the same order again, so counting them is enough.
  std::uint64_t mark = 0;
};

// A copy of a piece that outlives its stream.
class KeptPiece {
 public:
  explicit KeptPiece(const LogPiece& piece);
  kube::LogLine line() const;
  // The piece again; `line` must be the result of line(), and the caller keeps it alive.
  LogPiece piece(const kube::LogLine& line) const { return {line, mark_}; }
  std::size_t size() const { return sizeof *this + stamp_text_.size() + text_.size(); }

 private:
  Time stamp_;
  std::string stamp_text_, text_;
  bool complete_;
  std::uint64_t mark_;
};

class LineAssembler {
 public:
  // True for the unfinished last line of a stream.
  static bool is_cut(const kube::LogLine& line);
  // Begins a new connection, whose first line is the beginning of a line.
  void begin() {
    goes_on_ = false;
    if (held_) held_->is_new = false;
  }
  // True when the stream's next LogLine continues the line before it.
  bool goes_on() const { return goes_on_; }
  // `line` has a stamp or continues the line before. Returns nullopt when it was cut off: then it
  // is held back, since a resumed stream sends it whole unless it was the last.
  std::optional<LogPiece> take(const kube::LogLine& line);
  // Hands over the piece held back, if there is one.
  std::optional<KeptPiece> release();
  // True when the piece held back came over this connection.
  bool holds_new() const { return held_ && held_->is_new; }
  std::optional<Time> held_stamp() const;

 private:
  // The unfinished last line of a stream.
  struct Held {
    KeptPiece piece;
    std::uint64_t number;
    bool is_new = true;  // it came after begin()
  };
  static bool is_begin_of(const Held& held, const kube::LogLine& line, std::uint64_t number);

  bool goes_on_ = false;
  Time stamp_{};  // stamp of the line being continued
  std::string stamp_text_;
  std::uint64_t number_ = 0;  // number of the next piece within its line
  kube::LogLine piece_;       // the newest piece of a line in pieces
  std::optional<Held> held_;
};

}  // namespace trainctl::job
