// Prefixes, stamps and the output buffer.
#include "job/log_printer.h"

#include <array>

#include "base/json.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_buffer_full = std::size_t{64} << 10;
constexpr std::array k_replica_colours = {Colour::cyan, Colour::yellow, Colour::green,
                                          Colour::magenta, Colour::blue};

}  // namespace

std::string log_record(const LogOrigin& origin, const kube::LogLine& line) {
  Json record = Json::object();
  record["time"] = line.stamp_text;
  record["replica"] = origin.replica.name();
  if (origin.rank) record["rank"] = *origin.rank;
  record["container"] = origin.container;
  record["attempt"] = origin.attempt;
  if (!line.complete) record["partial"] = true;
  record["line"] = line.text;
  return dump(record);
}

LogPrinter::LogPrinter(Console& console, Loop& loop, std::function<void(Error)> on_failure)
    : console_(console), loop_(loop), on_failure_(std::move(on_failure)) {}

void LogPrinter::print(const LogOrigin& origin, const kube::LogLine& line) {
  if (failed_) return;
  if (options.format == LogFormat::json) {
    buffer_.append(log_record(origin, line)).push_back('\n');
  } else {
    print_text(origin.replica, line);
  }
  if (buffer_.size() >= k_buffer_full) {
    flush();
  } else if (flush_timer_ == nullptr) {
    flush_timer_ = loop_.after({}, [this] { flush(); });
  }
}

void LogPrinter::print_text(const ReplicaId& replica, const kube::LogLine& line) {
  if (!line_open_) {
    if (options.prefix) buffer_ += prefix_of(replica);
    if (options.timestamps) buffer_.append(line.stamp_text).push_back(' ');
  }
  buffer_.append(line.text);
  // Streams that share the output must not run into each other's unfinished lines.
  line_open_ = !line.complete && !options.prefix;
  if (!line_open_) buffer_.push_back('\n');
}

void LogPrinter::flush() {
  flush_timer_.reset();
  if (failed_ || buffer_.empty()) return;
  Status written = console_.out(buffer_);
  buffer_.clear();
  if (written) return;
  failed_ = true;
  on_failure_(std::move(written).error());
}

const std::string& LogPrinter::prefix_of(const ReplicaId& replica) {
  const std::string name = replica.name();
  const auto found = prefixes_.find(name);
  if (found != prefixes_.end()) return found->second;
  const Colour colour = k_replica_colours[prefixes_.size() % k_replica_colours.size()];
  const std::string text = console_.painted("[" + name + "]", colour) + " ";
  return prefixes_.emplace(name, text).first->second;
}

}  // namespace trainctl::job
