// Starts the command in replica after replica, and collects lines and ends.
#include "work/session/exec_all.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "logs/log_printer.h"
#include "work/session/session.h"

namespace trainctl::work {
namespace {

// Each is a connection of its own, and an exec of the node.
constexpr std::size_t k_at_once = 32;
constexpr std::size_t k_longest_unprinted_line = std::size_t{1} << 20;

struct Run {
  kube::RemoteQuery query;
  std::string replica, prefix;
  std::string out, err;  // unfinished lines
  std::unique_ptr<kube::RemoteProcess> process;
  std::optional<Status> outcome;
};

class Everywhere {
 public:
  Everywhere(Access& access, kube::Client& client, const std::vector<Target>& targets,
             const std::vector<std::string>& command)
      : console_(access.console), loop_(access.loop), client_(client) {
    for (const Target& target : targets) {
      Run& run = *runs_.emplace_back(std::make_unique<Run>());
      run.query = target.query();
      run.query.command = command;
      run.replica = target.replica;
      run.prefix = job::line_prefix(console_, target.replica, runs_.size() - 1);
    }
  }

  Status run();

 private:
  void start_next();
  void on_bytes(Run& run, std::string& line, std::string_view bytes, bool is_error);
  void print(const Run& run, std::string_view line, bool is_error);
  void on_end(Run& run, Result<kube::RemoteEnd> end);
  void stop(Error error);
  Status outcome();

  Console& console_;
  Loop& loop_;
  kube::Client& client_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::size_t next_ = 0, running_ = 0;
  std::optional<Error> stopped_;
  HandlePtr later_;
};

Status Everywhere::run() {
  const auto signals = loop_.ending_signals().watch([this](const EndingSignal& signal) {
    stop({signal.code, std::string(signal.what_happened), "the commands may still run"});
  });
  while (next_ < runs_.size() && running_ < k_at_once) start_next();
  loop_.run_until([this] { return stopped_ || (running_ == 0 && next_ == runs_.size()); });
  for (const auto& run : runs_) run->process.reset();
  if (stopped_) return *std::move(stopped_);
  return outcome();
}

void Everywhere::start_next() {
  Run& run = *runs_[next_++];
  ++running_;
  kube::RemoteHandlers handlers;
  handlers.on_output = [this, &run](std::string_view bytes) {
    on_bytes(run, run.out, bytes, false);
  };
  handlers.on_error_output = [this, &run](std::string_view bytes) {
    on_bytes(run, run.err, bytes, true);
  };
  handlers.on_end = [this, &run](Result<kube::RemoteEnd> end) { on_end(run, std::move(end)); };
  run.process = kube::start_process(client_, run.query, std::move(handlers));
}

void Everywhere::on_bytes(Run& run, std::string& line, std::string_view bytes, bool is_error) {
  line += bytes;
  std::size_t begin = 0;
  for (std::size_t end = line.find('\n'); end != std::string::npos; end = line.find('\n', begin)) {
    print(run, std::string_view(line).substr(begin, end - begin), is_error);
    begin = end + 1;
  }
  line.erase(0, begin);
  if (line.size() < k_longest_unprinted_line) return;
  print(run, line, is_error);
  line.clear();
}

void Everywhere::print(const Run& run, std::string_view line, bool is_error) {
  const std::string text = cat(run.prefix, line, '\n');
  if (is_error) return console_.err(console_.err_is_tty ? terminal_safe(text) : text);
  if (Status written = console_.out(text); !written) stop(std::move(written).error());
}

void Everywhere::on_end(Run& run, Result<kube::RemoteEnd> end) {
  if (!run.out.empty()) print(run, run.out, false);
  if (!run.err.empty()) print(run, run.err, true);
  run.outcome = end ? status_of(*end, run.query) : Status(std::move(end).error());
  --running_;
  if (next_ == runs_.size()) return;
  // Not inside the end of another.
  later_ = loop_.after({}, [this] {
    while (next_ < runs_.size() && running_ < k_at_once) start_next();
  });
}

void Everywhere::stop(Error error) {
  if (!stopped_) stopped_ = std::move(error);
}

Status Everywhere::outcome() {
  std::optional<Error> first;
  std::vector<std::string> failed;
  for (const auto& run : runs_) {
    if (*run->outcome) continue;
    Error error = run->outcome->error();
    const bool ran = error.message.empty();
    failed.push_back(ran ? cat(run->replica, " (", static_cast<int>(error.code), ")")
                         : run->replica);
    if (!ran) error.message = cat(run->replica, ": ", error.message);
    if (!first || (first->message.empty() && !ran)) first = std::move(error);
  }
  if (!first) return {};
  const std::string all = cat("the command failed in ", failed.size(), " of ", runs_.size(),
                              " replicas: ", join(failed, ", "));
  if (!first->message.empty() && failed.size() > 1) console_.warn(all);
  if (first->message.empty()) first->message = all;
  return *std::move(first);
}

}  // namespace

Status run_everywhere(Access& access, const std::vector<Target>& targets,
                      const std::vector<std::string>& command) {
  TRY_ASSIGN(kube::Client * client, access.client());
  Everywhere everywhere(access, *client, targets, command);
  return everywhere.run();
}

}  // namespace trainctl::work
