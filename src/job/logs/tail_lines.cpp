// What becomes of a line that a Tail reads: told, known already, or another run's.

#include "base/text.h"
#include "job/logs/tail.h"

namespace trainctl::job {
namespace {

using std::chrono::seconds;

// A log that was there when it was asked for, that begins so much later than its container, and is
// so long, has most likely been rotated (10 MiB a file when the kubelet is not told otherwise).
constexpr Duration k_live = seconds(2);
constexpr Duration k_late_begin = seconds(10);
constexpr std::size_t k_long_log = std::size_t{64} << 10;
// Of the stamps of stdout and stderr, at most: the runtime reads them side by side.
constexpr Duration k_disorder = seconds(2);

// What a cut leaves of a line's stamp is no message of the node.
bool is_cut_stamp(const kube::LogLine& line) {
  constexpr std::size_t k_longest_stamp = 35;
  return !line.complete && line.text.size() <= k_longest_stamp &&
         line.text.find_first_not_of("0123456789-:.TZ+") == std::string_view::npos;
}

}  // namespace

void Tail::on_line(const kube::LogLine& line) {
  if (!pieces_.go_on() && !line.stamp) return on_words(line);
  answer_.has_lines = true;
  if (LineAssembler::is_cut(line)) {
    if (!pieces_.go_on() && is_told(line)) return;
    answer_.cut_piece = true;
  }
  if (const auto piece = pieces_.take(line)) tell(*piece);
}

// Without a stamp it is not the container's: the kubelet writes its own errors into the body.
void Tail::on_words(const kube::LogLine& line) {
  if (line.text.empty() || is_cut_stamp(line)) return;
  answer_.has_words = true;
  std::string words = printable_line(line.text);
  if (words != words_) handlers_.on_notice(cat("the node says: ", words));
  words_ = std::move(words);
}

// A resumed stream that was cut before the line told last was cut within one told already.
bool Tail::is_told(const kube::LogLine& line) const {
  if (told_.newest_met()) return false;
  return told_.overlapped() || (answer_.resumes && *line.stamp <= *last_);
}

void Tail::tell(const LogPiece& piece) {
  const kube::LogLine& line = piece.line;
  ++lines_;
  failures_ = 0;  // told before or not: it can be read
  if (answer_.since && *line.stamp < *answer_.since) return;
  if (told_.repeats(piece.mark)) return trust_answer();
  if (!answer_.ours) {
    if (!is_ours(line)) return doubt(piece);
    trust_answer();
  }
  if (options_.follow) check_leap(line);
  if (std::exchange(late_, false)) {
    handlers_.on_notice(cat("the log of ", target_.pod, " before its restart follows"));
  }
  check_gap(line);
  if (begin_) check_begin(line);
  answer_.told = true;
  clean_end_ = CleanEnd::none;
  told_.add(*line.stamp, piece.mark);
  if (!first_) first_ = line.stamp;
  // The node would leave out what it has stamped before the time that is asked for.
  clock_set_back_ = clock_set_back_ || (last_ && *line.stamp < *last_ - k_disorder);
  if (!last_ || *line.stamp > *last_) last_ = line.stamp;
  handlers_.on_line(line);
}

void Tail::tell(const KeptPiece& kept) {
  const kube::LogLine line = kept.line();
  tell(kept.piece(line));
}

void Tail::tell_held() {
  const auto held = pieces_.release();
  if (!held) return;
  answer_.ours = true;  // what is another run's is not held on to
  tell(*held);
}

void Tail::check_gap(const kube::LogLine& line) {
  if (std::exchange(answer_.gap_checked, true) || !answer_.resumes || told_.overlapped()) return;
  probe_.end();
  tell_gap_between(*last_, *line.stamp);
}

void Tail::check_leap(const kube::LogLine& line) {
  if (!answer_.drains && probe_.is_due(line.text.size(), client_.loop())) {
    probe_.ask(client_, query());
  }
  if (const auto leap = probe_.meet(*line.stamp)) tell_gap_between(leap->after, leap->before);
}

void Tail::tell_gap_after(std::string_view why) {
  tell_held();
  std::string place;
  if (last_) {
    place = cat(" after ", format_time(*last_));
  } else if (told_ahead_) {
    place = cat(" before ", format_time(told_ahead_->first));
  }
  handlers_.on_notice(cat("possible gap in the log of ", target_.pod, place, ": ", why));
}

void Tail::tell_gap_between(Time after, Time before) {
  if (!answer_.cut_piece) tell_held();
  handlers_.on_notice(cat("possible gap in the log of ", target_.pod, " between ",
                          format_time(after), " and ", format_time(before),
                          ": the node has rotated it"));
}

void Tail::check_begin(const kube::LogLine& line) {
  if (!begin_->first) {
    const bool live = !answer_.opened || client_.loop().now() - *answer_.opened > k_live;
    if (live || *line.stamp - *options_.started < k_late_begin) return begin_.reset();
    begin_->first = line.stamp;
  }
  begin_->size += line.text.size();
  if (begin_->size < k_long_log) return;
  const auto late = std::chrono::floor<seconds>(*begin_->first - *options_.started);
  handlers_.on_notice(cat("the log of ", target_.pod, " begins ", late.count(),
                          " s after its container did: the node has rotated away what was before"));
  begin_.reset();
}

}  // namespace trainctl::job
