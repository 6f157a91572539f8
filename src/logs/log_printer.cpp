// Adds prefixes and stamps to lines, and buffers the output.
#include "logs/log_printer.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/value/json.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_buffer_full = std::size_t{64} << 10;
// Minimum time between two small writes: each wakes the reader, which may cost more than all other
// work on a line.
constexpr Duration k_between_writes = std::chrono::milliseconds(10);
constexpr std::array k_replica_colours = {Colour::cyan, Colour::yellow, Colour::green,
                                          Colour::magenta, Colour::blue};

bool is_same_run(const LogOrigin& one, const LogOrigin& other) {
  return one.replica == other.replica && one.container == other.container &&
         one.attempt == other.attempt && one.run == other.run;
}

}  // namespace

std::string line_prefix(const Console& console, std::string_view name, std::size_t number) {
  const Colour colour = k_replica_colours[number % k_replica_colours.size()];
  return console.painted(cat('[', name, ']'), colour) + ' ';
}

std::string log_record(const LogOrigin& origin, const kube::LogLine& line, const std::string& job) {
  Json record = Json::object();
  record["time"] = line.stamp_text;
  if (!job.empty()) record["job"] = job;
  record["replica"] = origin.replica.name();
  if (origin.rank) record["rank"] = *origin.rank;
  record["container"] = origin.container;
  record["attempt"] = origin.attempt;
  if (!line.complete) record["partial"] = true;
  record["line"] = line.text;
  return dump(record);
}

LogPrinter::LogPrinter(Console& console, Loop& loop, std::string spool_directory,
                       OutputWatcher& watcher)
    : console_(console), loop_(loop), watcher_(watcher), spool_(std::move(spool_directory)) {}

void LogPrinter::watch_reader() {
  awaited_.reader_gone = loop_.on_reader_gone(console_.out_descriptor(), [this] {
    if (!failed_) fail(reader_gone());
  });
}

void LogPrinter::print(const LogOrigin& origin, const kube::LogLine& line) {
  if (failed_ || !passes(origin, line)) return;
  if (options.format == LogFormat::json) {
    buffer_.append(console_.json_as_out(log_record(origin, line, options.job))).push_back('\n');
  } else {
    print_text(origin, line);
  }
  if (buffer_.size() >= k_buffer_full) {
    flush();
  } else if (awaited_.flush == nullptr) {
    const Duration wait = last_flush_ + k_between_writes - loop_.now();
    awaited_.flush = loop_.after(std::max(wait, Duration::zero()), [this] { flush(); });
  }
}

bool LogPrinter::passes(const LogOrigin& origin, const kube::LogLine& line) {
  if (!options.lines.hides_lines()) return true;
  const auto begun = std::ranges::find_if(
      begun_lines_, [&origin](const BegunLine& one) { return is_same_run(one.origin, origin); });
  const bool is_new = begun == begun_lines_.end();
  const bool passes = is_new ? options.lines.passes(line.text) : begun->passes;
  if (is_new && !line.complete) begun_lines_.push_back({origin, passes});
  if (!is_new && line.complete) begun_lines_.erase(begun);
  return passes;
}

void LogPrinter::begin_line(const ReplicaId& replica, std::string_view stamp) {
  if (options.prefix) buffer_ += prefix_of(replica);
  if (options.timestamps) buffer_.append(stamp).push_back(' ');
}

void LogPrinter::print_rows(const Screen& screen, const std::vector<std::string>& rows) {
  for (const std::string& row : rows) {
    begin_line(screen.origin.replica, screen.stamp);
    std::string shown = console_.as_out(row);
    buffer_ += console_.colour ? options.lines.highlighted(std::move(shown)) : shown;
    buffer_.push_back('\n');
  }
}

void LogPrinter::print_on_terminal(const LogOrigin& origin, const kube::LogLine& line) {
  Screen& screen = screens_[origin.replica];
  if (!is_same_run(screen.origin, origin)) print_rows(screen, screen.rows.rest());
  screen.origin = origin;
  screen.stamp = line.stamp_text;
  print_rows(screen, screen.rows.take(line.text));
}

void LogPrinter::finish_rows() {
  for (auto& [replica, screen] : screens_) print_rows(screen, screen.rows.rest());
}

void LogPrinter::print_text(const LogOrigin& origin, const kube::LogLine& line) {
  // Nothing else is going to end the line of a run that was killed in the middle of it.
  const bool continues = open_line_ && is_same_run(*open_line_, origin);
  if (open_line_ && !continues) buffer_.push_back('\n');
  if (console_.out_is_tty && line.complete && !continues) {
    open_line_.reset();
    return print_on_terminal(origin, line);
  }
  if (!continues) begin_line(origin.replica, line.stamp_text);
  const CiSystem reader = console_.out_reader();
  if (console_.out_is_tty) {
    std::string shown = console_.as_out(last_shown(line.text));
    buffer_ += console_.colour ? options.lines.highlighted(std::move(shown)) : shown;
  } else if (reader == CiSystem::none) {
    buffer_.append(line.text);
  } else if (continues) {
    buffer_ += continued_without_ci_commands(reader, line.text);
  } else {
    buffer_ += without_ci_commands(reader, line.text);
  }
  // Replicas that share the output must not continue each other's unfinished lines.
  open_line_.reset();
  if (!line.complete && !options.prefix) {
    open_line_ = origin;
  } else {
    buffer_.push_back('\n');
  }
}

void LogPrinter::flush() {
  awaited_.flush.reset();
  if (failed_ || buffer_.empty()) return;
  last_flush_ = loop_.now();
  std::string_view rest = buffer_;
  while (spool_.empty() && !rest.empty()) {
    Result<std::size_t> taken = console_.offer(rest);
    if (!taken) {
      fail(std::move(taken).error());
      return;
    }
    if (*taken == 0) break;
    rest.remove_prefix(*taken);
  }
  const bool had_room = spool_.has_room();
  const Status kept = rest.empty() ? Status{} : spool_.push(rest);
  buffer_.clear();
  if (!spool_.empty() && awaited_.writable == nullptr) pump();
  if (had_room && !kept) hold_back(kept.error());
}

// Pauses on a later turn of the loop, because the stream to pause may be delivering a line right
// now.
void LogPrinter::hold_back(const Error& why) {
  console_.warn(cat(why.message, "; no more is read until the reader of stdout catches up"));
  awaited_.hold = loop_.after({}, [this] { watcher_.on_hold(!spool_.has_room()); });
}

// Writes waiting bytes until the reader accepts no more; then waits for the reader.
void LogPrinter::pump() {
  const bool had_room = spool_.has_room();
  awaited_.writable.reset();
  while (!spool_.empty()) {
    const Result<std::string_view> piece = spool_.front();
    Result<std::size_t> taken = piece ? console_.offer(*piece) : piece.error();
    if (!taken) {
      fail(std::move(taken).error());
      return;
    }
    if (*taken == 0) {
      awaited_.writable = loop_.on_writable(console_.out_descriptor(), [this] { pump(); });
      break;
    }
    spool_.pop(*taken);
  }
  if (had_room || !spool_.has_room()) return;
  awaited_.hold.reset();
  watcher_.on_hold(false);
}

void LogPrinter::fail(Error error) {
  failed_ = true;
  watcher_.on_output_lost(std::move(error));
}

const std::string& LogPrinter::prefix_of(const ReplicaId& replica) {
  const auto found = prefixes_.find(replica);
  if (found != prefixes_.end()) return found->second;
  const std::string name =
      options.job.empty() ? replica.name() : options.job + "/" + replica.name();
  // Each job has a printer of its own: sweep-1 and sweep-2 differ in their last byte.
  const std::size_t number = std::accumulate(
      options.job.begin(), options.job.end(), prefixes_.size(),
      [](std::size_t sum, char byte) { return sum + static_cast<unsigned char>(byte); });
  return prefixes_.emplace(replica, line_prefix(console_, name, number)).first->second;
}

}  // namespace trainctl::job
