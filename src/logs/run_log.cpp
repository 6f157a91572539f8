// Every line of every answer passes through here: it is printed, recognised as seen, or held until
// its run is known.
#include "logs/run_log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr int k_looks_at_end = 6;

}  // namespace

EndEvidence::Next EndEvidence::ended(const Answer& answer) {
  const Last now = answer.behind_newest ? Last::behind_newest : Last::before_newest;
  const Last before = std::exchange(last_, now);
  drained_ = drained_ || answer.drains;
  if (!answer.drains) return Next::read_on;
  if (now == Last::before_newest) return ++looks_ < k_looks_at_end ? Next::look_again : Next::lost;
  return answer.suffices || before == Last::behind_newest ? Next::whole : Next::confirm;
}

namespace {

// Errors of any read, as cri-client's pkg/logs and gRPC write them. The path that follows keeps a
// program's own sentence from being mistaken for one.
constexpr std::array<std::string_view, 8> k_of_files = {
    R"(failed to read log file "/)",
    R"(failed to open log file "/)",
    R"(failed to reopen log file "/)",
    R"(failed to try resolving symlinks in path "/)",
    R"(failed to reset seek in log file "/)",
    R"(failed to get parse function: unsupported log format: ")",
    "unable to retrieve container logs for containerd://",
    "unable to retrieve container logs for cri-o://",
};
// Errors of a read that waits for more: those of the file watcher, those of the runtime, and those
// that end the wait.
constexpr std::array<std::string_view, 7> k_of_waiting = {
    "rpc error: code = ",
    "failed to create fsnotify watcher: ",
    R"(failed to watch directory "/)",
    R"(failed to watch file "/)",
    "fsnotify: queue or buffer overflow",
    "context canceled",
    "context deadline exceeded",
};

template <std::size_t size>
std::size_t first_of(std::string_view text, const std::array<std::string_view, size>& words) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view each : words) first = std::min(first, text.find(each));
  return first;
}

}  // namespace

std::size_t node_words_at(std::string_view unfinished_line, bool followed) {
  const std::size_t of_file = first_of(unfinished_line, k_of_files);
  if (!followed) return of_file;
  return std::min(of_file, first_of(unfinished_line, k_of_waiting));
}

namespace {

// kube/stream/log_stream.h cuts lines at 1 MiB, stamp included, so a shorter unfinished piece is
// the end of a stream.
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

namespace {

// An answer that has been open for this long delivers lines as they are written.
constexpr Duration k_live = std::chrono::seconds(2);
// Bound on the lines that wait until their run is known.
constexpr std::size_t k_most_waiting = std::size_t{1} << 20;
constexpr std::string_view k_set_back = "its node's clock was set back";

// The rest of a truncated stamp is not a message of the node.
bool is_cut_stamp(std::string_view text) {
  constexpr std::size_t k_longest_stamp = 35;
  return text.size() <= k_longest_stamp &&
         text.find_first_not_of("0123456789-:.TZ+") == std::string_view::npos;
}

}  // namespace

RunLog::RunLog(std::string pod, SeenLines seen, RunAttribution run, GapDetection gaps,
               const Loop& loop, const LogOrigin& origin, LogSink& sink)
    : pod_(std::move(pod)),
      loop_(loop),
      origin_(origin),
      sink_(sink),
      seen_(std::move(seen)),
      run_(std::move(run)),
      gaps_(std::move(gaps)) {}

void RunLog::begin_answer(const LogAnswer& answer, std::optional<Time> since, bool followed) {
  if (seen_.any() && gaps_.take_clock_set_back()) report_gap(k_set_back);
  answer_ = Answer();
  answer_.facts = answer;
  answer_.since = since;
  answer_.followed = followed;
  assembler_.begin();
  seen_.begin_answer();
}

void RunLog::open_answer() {
  answer_.facts.opened = loop_.now();
  answer_.open = true;
}

void RunLog::drop_answer() {
  if (!is_ours() && assembler_.holds_new()) assembler_.release();
  if (!is_ours()) answer_.owner = Owner::unknown;
  answer_.waiting.clear();
  answer_.waiting_size = 0;
}

void RunLog::on_line(const kube::LogLine& line) {
  if (!assembler_.goes_on() && !line.stamp) return on_untimed(line);
  if (answer_.untimed) end_answer();
  take(line);
}

void RunLog::take(const kube::LogLine& line) {
  if (LineAssembler::is_cut(line)) return on_unfinished(line);
  answer_.content = Content::lines;
  if (const auto piece = assembler_.take(line)) sort(*piece);
}

// A line without a stamp is an error that the kubelet wrote into the body, unless its node ignores
// `timestamps=true`, as virtual kubelets do.
void RunLog::on_untimed(const kube::LogLine& line) {
  const bool timed = answer_.content >= Content::lines && answer_.untimed_lines == 0;
  if (!timed && untimed_from_) return take_untimed(line);
  if (!line.complete && is_cut_stamp(line.text)) return;
  if (timed || node_words_at(line.text, answer_.followed) == 0) return on_words(line.text);
  if (!answer_.untimed) {
    answer_.untimed = line.text;
    return;
  }
  untimed_from_ = run_.started().value_or(loop_.now());
  sink_.on_notice(cat("the node of ", pod_, " sends no times of lines: some may be missing or ",
                      "come twice after a lost connection"));
  const std::string first = *std::exchange(answer_.untimed, std::nullopt);
  take_untimed({std::nullopt, {}, first, true});
  take_untimed(line);
}

// A place is the same on every connection, so that lines are recognised by it.
void RunLog::take_untimed(const kube::LogLine& line) {
  kube::LogLine placed = line;
  placed.stamp = *untimed_from_ + std::chrono::nanoseconds(answer_.untimed_lines++);
  take(placed);
}

void RunLog::end_answer() {
  if (const auto words = std::exchange(answer_.untimed, std::nullopt)) on_words(*words);
}

void RunLog::on_words(std::string_view text) {
  if (text.empty()) return;
  const bool behind_lines = answer_.content >= Content::lines;
  answer_.content = behind_lines ? Content::lines_then_words : Content::words;
  std::string words = printable_line(text);
  if (words != words_) sink_.on_notice(cat("the node says: ", words));
  words_ = std::move(words);
}

// The last line of an answer may be incomplete, and the node's message may directly follow it.
void RunLog::on_unfinished(const kube::LogLine& line) {
  const std::size_t end = node_words_at(line.text, answer_.followed);
  kube::LogLine own = line;
  own.text = line.text.substr(0, end);
  if (end != 0) {
    answer_.content = Content::lines;
    const bool seen = !assembler_.goes_on() && seen_.was_whole(*line.stamp);
    if (!seen) (void)assembler_.take(own);
  }
  if (end < line.text.size()) on_words(line.text.substr(end));
}

void RunLog::sort(const LogPiece& piece) {
  ++lines_read_;
  const Time stamp = *piece.line.stamp;
  if (answer_.since && stamp < *answer_.since && !untimed_from_) return;
  switch (seen_.place(stamp, piece.mark)) {
    case SeenLines::LinePosition::seen:
      answer_.waiting.clear();
      answer_.owner = Owner::ours;
      return;
    case SeenLines::LinePosition::left_out:
      return;
    case SeenLines::LinePosition::unknown:
      return keep(piece);
    case SeenLines::LinePosition::next:
      break;
  }
  if (!is_ours()) {
    if (!run_.is_ours(answer_.facts, stamp)) {
      answer_.owner = Owner::asked;
      return keep(piece);
    }
    attribute();
  }
  // No seen line precedes this new one, so waiting lines that are stamped out of order are new,
  // too.
  if (!answer_.waiting.empty()) print_waiting();
  print(piece);
}

void RunLog::keep(const LogPiece& piece) {
  answer_.waiting.emplace_back(piece);
  answer_.waiting_size += answer_.waiting.back().size();
}

bool RunLog::has_no_room() const {
  return waits_for_owner() && answer_.waiting_size > k_most_waiting;
}

bool RunLog::is_settled() const {
  return waits_for_owner() && run_.is_ours(answer_.facts, *answer_.waiting.front().line().stamp);
}

void RunLog::attribute() {
  if (std::exchange(answer_.owner, Owner::ours) != Owner::ours) print_waiting();
}

void RunLog::print_waiting() {
  if (answer_.waiting.empty()) return;
  answer_.waiting_size = 0;
  for (const KeptPiece& kept : std::exchange(answer_.waiting, {})) {
    const kube::LogLine line = kept.line();
    print(kept.piece(line));
  }
}

void RunLog::print(const LogPiece& piece) {
  const kube::LogLine& line = piece.line;
  if (const auto leap = gaps_.meet(*line.stamp)) report_leap(*leap);
  if (std::exchange(late_, false)) {
    sink_.on_notice(cat("the log of ", pod_, " before its restart follows"));
  }
  if (!std::exchange(answer_.new_lines, true) && answer_.facts.resumes && !seen_.overlapped()) {
    gaps_.end_stream();
    report_leap({*seen_.last(), *line.stamp});
  }
  if (gaps_.watches_begin()) check_begin(line);
  end_.new_line();
  if (!seen_.add(*line.stamp, piece.mark)) return;
  if (!untimed_from_) return sink_.on_line(origin_, line);
  sink_.on_line(origin_, {std::nullopt, {}, line.text, line.complete});
}

void RunLog::print_held() {
  const auto held = assembler_.release();
  if (!held) return;
  answer_.owner = Owner::ours;  // lines of another run are not kept
  answer_.new_lines = true;     // it directly followed the line before it, so there is no gap
  const kube::LogLine line = held->line();
  if (!answer_.since || *line.stamp >= *answer_.since) print(held->piece(line));
}

void RunLog::check_begin(const kube::LogLine& line) {
  const bool live = !is_open() || loop_.now() - answer_.facts.opened > k_live;
  const auto late = gaps_.late_begin(*line.stamp, line.text.size(), live);
  if (!late) return;
  sink_.on_gap(cat("the log of ", pod_, " begins ",
                   std::chrono::floor<std::chrono::seconds>(*late).count(),
                   " s after its container did: the node rotated the beginning away"));
}

void RunLog::end_first_look() {
  if (seen_.is_first_look() && !broke_off()) seen_.first_look_was_empty(assembler_.held_stamp());
}

bool RunLog::leave_to_next_run() {
  if (!run_.was_next_run(seen_.first())) return false;
  if (run_.was_surely_next_run(*seen_.first())) ahead_ = SeenAhead{*seen_.first(), *seen_.last()};
  seen_.forget();
  gaps_.forget();
  late_ = true;
  return true;
}

void RunLog::report_gap(std::string_view why) {
  print_held();
  std::string place;
  if (seen_.any()) {
    place = cat(" after ", format_time(*seen_.last()));
  } else if (ahead_) {
    place = cat(" before ", format_time(ahead_->first));
  }
  sink_.on_gap(cat("possible gap in the log of ", pod_, place, ": ", why));
}

// A node whose clock was set back leaves out what is there, which was reported when it was noticed.
void RunLog::report_lost_end() {
  if (broke_off()) return report_gap("its node could not read it");
  if (gaps_.take_clock_set_back()) return report_gap(k_set_back);
  if (!gaps_.was_clock_set_back()) report_gap("the node has rotated it");
}

void RunLog::report_leap(const GapDetection::Leap& leap) {
  if (!assembler_.holds_new()) print_held();
  sink_.on_gap(cat("possible gap in the log of ", pod_, " between ", format_time(leap.after),
                   " and ", format_time(leap.before), ": the node has rotated it"));
}

void RunLog::finish() {
  print_held();
  if (const auto leap = gaps_.end_stream()) report_leap(*leap);
}

}  // namespace trainctl::job
