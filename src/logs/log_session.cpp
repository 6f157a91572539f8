// Passes each line on, and pauses the reading of logs while the spool is full.
#include "logs/log_session.h"

#include <cstdint>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_file_buffer_full = std::size_t{64} << 10;

}  // namespace

void LogFiles::add(const LogOrigin& origin, const kube::LogLine& line) {
  if (failed_) return;
  const std::string name = cat(origin.replica.name(), ".attempt-", origin.attempt, ".log");
  std::string& bytes = waiting_[name];
  bytes.append(line.text);
  if (line.complete) bytes.push_back('\n');
  if (bytes.size() >= k_file_buffer_full) {
    write(name, bytes);
  } else if (flush_timer_ == nullptr) {
    flush_timer_ = loop_.after({}, [this] { flush(); });
  }
}

void LogFiles::flush() {
  flush_timer_.reset();
  for (auto& [name, bytes] : waiting_) write(name, bytes);
  waiting_.clear();
}

void LogFiles::write(const std::string& name, std::string& bytes) {
  if (failed_ || bytes.empty()) return;
  Status saved = save_(name, bytes);
  bytes.clear();
  if (saved) return;
  failed_ = true;
  watcher_.on_unsaved(std::move(saved).error());
}

namespace {

constexpr Duration k_reader_takes = std::chrono::seconds(2);

}  // namespace

LogSession::LogSession(Console& console, Loop& loop, LogPlaces places, OutputWatcher& watcher)
    : console_(console),
      loop_(loop),
      saves_(static_cast<bool>(places.save)),
      keeps_all_(places.keeps_all),
      printer_(console, loop, std::move(places.spool_directory), watcher),
      files_(loop, std::move(places.save), watcher),
      kept_(loop, std::move(places.kept), [this](const Error& why) {
        console_.warn(cat("the history does not keep the rest of the log: ", why.message,
                          "; --no-history keeps no logs"));
      }) {}

void LogSession::flush() {
  printer_.finish_rows();
  printer_.flush();
  files_.flush();
  kept_.flush();
}

void LogSession::drain(const std::function<bool()>& is_given_up) {
  kept_.finish();
  const auto is_over = [&] { return printer_.drained() || is_given_up(); };
  if (is_over()) return;
  const HandlePtr notice = loop_.after(k_reader_takes, [this] {
    console_.notice(cat("waiting for the reader of stdout to take the last ", left()));
  });
  loop_.run_until(is_over);
}

std::string LogSession::left() const {
  return size_text(printer_.waiting());
}

}  // namespace trainctl::job
