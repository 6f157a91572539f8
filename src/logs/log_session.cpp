// Passes each line on, and pauses the reading of logs while the spool is full.
#include "logs/log_session.h"

#include <cstdint>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_file_buffer_full = std::size_t{64} << 10;

}  // namespace

LogFiles::LogFiles(Loop& loop, SaveBytes save, std::function<void(Error)> on_failure)
    : loop_(loop), save_(std::move(save)), on_failure_(std::move(on_failure)) {}

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
  on_failure_(std::move(saved).error());
}

namespace {

constexpr Duration k_reader_takes = std::chrono::seconds(2);

}  // namespace

LogSession::LogSession(Console& console, Loop& loop, LogSinks places, LogSessionHandlers handlers)
    : console_(console),
      loop_(loop),
      handlers_(std::move(handlers)),
      saves_(static_cast<bool>(places.save)),
      keeps_all_(places.keeps_all),
      printer_(console, loop, std::move(places.spool_directory),
               {.on_failure = handlers_.on_lost,
                .on_full = [this](const Error& why) { hold_back(why); },
                .on_room = [this] { go_on(); }}),
      files_(loop, std::move(places.save), handlers_.on_unsaved),
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

// Pauses on a later turn of the loop, because the stream to pause may be delivering a line right
// now.
void LogSession::hold_back(const Error& why) {
  console_.warn(cat(why.message, "; no more is read until the reader of stdout catches up"));
  hold_timer_ = loop_.after({}, [this] { handlers_.on_hold(!printer_.has_room()); });
}

void LogSession::go_on() {
  hold_timer_.reset();
  handlers_.on_hold(false);
}

}  // namespace trainctl::job
