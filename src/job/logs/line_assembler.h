// A stream's lines as they are printed: long ones in pieces, one that was cut off held back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/log_stream.h"

namespace trainctl::job {

// A line, or a piece of a long one. Its line is not copied: it lives as long as what it was taken
// from, and no longer than until the next piece.
struct LogPiece {
  // With its stamp, also where the stream had it on the first piece only.
  const kube::LogLine& line;
  // Of two connections the same piece has the same. Lines with the same stamp may share theirs:
  // they come in the same order again, so that how many were seen is enough to know.
  std::uint64_t mark = 0;
};

// A piece that outlives its stream.
class KeptPiece {
 public:
  explicit KeptPiece(const LogPiece& piece);
  kube::LogLine line() const;
  // `line` is its own, which somebody must keep.
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
  // A new connection: its first line begins one.
  void begin() {
    goes_on_ = false;
    if (held_) held_->is_new = false;
  }
  // True when the next line of the stream goes on with the one before.
  bool goes_on() const { return goes_on_; }
  // `line` has a stamp, or goes on. nullopt: it was cut off and is held back, since a resumed
  // stream brings it whole, or it was the last.
  std::optional<LogPiece> take(const kube::LogLine& line);
  // What is held back, which then nobody holds.
  std::optional<KeptPiece> release();
  // Something is held back that this connection has brought.
  bool holds_new() const { return held_ && held_->is_new; }
  std::optional<Time> held_stamp() const;

 private:
  // The unfinished last line of a stream.
  struct Held {
    KeptPiece piece;
    std::uint64_t number;
    bool is_new = true;  // since begin()
  };
  static bool is_begin_of(const Held& held, const kube::LogLine& line, std::uint64_t number);

  bool goes_on_ = false;
  Time stamp_{};  // of the line that goes on
  std::string stamp_text_;
  std::uint64_t number_ = 0;  // of the next piece
  kube::LogLine piece_;       // the newest, of a line in pieces
  std::optional<Held> held_;
};

}  // namespace trainctl::job
