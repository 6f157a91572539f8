// Connects the console with the process, at the pace of the slower one.
#include "work/session/session.h"

#include <csignal>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/console/raw_terminal.h"
#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "status/start_failure.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_longest_colour = 32;
constexpr std::size_t k_longest_line = std::size_t{1} << 20;

std::size_t open_line(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  const std::size_t size = end == std::string_view::npos ? text.size() : text.size() - end - 1;
  return size > k_longest_line ? 0 : size;
}

// The size of an unfinished UTF-8 sequence at the end.
std::size_t open_character(std::string_view text) {
  constexpr std::size_t k_longest = 4;
  for (std::size_t size = 1; size < k_longest && size <= text.size(); ++size) {
    const auto byte = static_cast<unsigned char>(text[text.size() - size]);
    if ((byte & 0xC0U) == 0x80U) continue;  // continues a sequence
    const std::size_t whole = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return whole > size ? size : 0;
  }
  return 0;
}

// The size of an unfinished ESC [ numbers at the end.
std::size_t open_colour(std::string_view text) {
  const std::size_t at = text.rfind('\x1b');
  if (at == std::string_view::npos || text.size() - at > k_longest_colour) return 0;
  const std::string_view tail = text.substr(at);
  if (tail.size() == 1) return 1;
  const bool open =
      tail[1] == '[' && tail.find_first_not_of("0123456789;:", 2) == std::string_view::npos;
  return open ? tail.size() : 0;
}

}  // namespace

bool is_exact(const Console& console) {
  return !console.out_is_tty && console.out_reader() == CiSystem::none;
}

std::string ShownText::take(std::string_view bytes) {
  std::string text = std::exchange(held_, {});
  text += bytes;
  std::size_t open = whole_lines_ ? open_line(text) : open_character(text);
  if (open == 0) open = open_colour(text);
  held_ = text.substr(text.size() - open);
  text.resize(text.size() - open);
  return text;
}

std::string ShownText::rest() {
  return std::exchange(held_, {});
}

namespace {

// As much of stdin as may wait for the connection.
constexpr std::size_t k_input_room = std::size_t{256} << 10;

class Session {
 public:
  Session(Access& access, kube::Client& client, const kube::RemoteQuery& query, bool hands_over)
      : console_(access.console),
        loop_(access.loop),
        client_(client),
        query_(query),
        hands_over_(hands_over),
        shown_out_(access.console.ci != CiSystem::none),
        shown_err_(access.console.ci != CiSystem::none) {}

  Status run();

 private:
  void on_open();
  void read_input();
  void watch_input();
  void on_output(std::string_view bytes);
  void on_error_output(std::string_view bytes);
  void show(const std::string& text);
  void write_output();
  void on_end(Result<kube::RemoteEnd> end);
  void finish(Status status);
  void measure();

  Console& console_;
  Loop& loop_;
  kube::Client& client_;
  const kube::RemoteQuery& query_;
  bool hands_over_;       // our terminal
  bool changed_ = false;  // a CI system would have obeyed some of the output
  ShownText shown_out_, shown_err_;
  std::string output_;  // what stdout has not taken yet
  bool input_ended_ = false;
  std::optional<Status> ended_;    // how the process ended, while its output is still written
  std::optional<Status> outcome_;  // of the session
  std::unique_ptr<RawTerminal> raw_;
  std::vector<HandlePtr> signals_;
  HandlePtr readable_, writable_, reader_gone_;
  std::unique_ptr<kube::RemoteProcess> process_;
};

Status Session::run() {
  const bool may_go_on = !query_.terminal && !query_.command.empty();
  signals_.push_back(loop_.ending_signals().watch([this, may_go_on](const EndingSignal& signal) {
    finish(Error{signal.code, std::string(signal.what_happened),
                 may_go_on ? "the command may still run in its container" : ""});
  }));
  if (hands_over_) {
    signals_.push_back(loop_.on_signal(SIGWINCH, [this] { measure(); }));
  }
  reader_gone_ = loop_.on_reader_gone(console_.out_descriptor(), [this] { finish(reader_gone()); });
  kube::RemoteHandlers handlers;
  handlers.on_open = [this] { on_open(); };
  handlers.on_output = [this](std::string_view bytes) { on_output(bytes); };
  handlers.on_error_output = [this](std::string_view bytes) { on_error_output(bytes); };
  handlers.on_drained = [this] { watch_input(); };
  handlers.on_end = [this](Result<kube::RemoteEnd> end) { on_end(std::move(end)); };
  process_ = kube::start_process(client_, query_, std::move(handlers));
  loop_.run_until([this] { return outcome_.has_value(); });
  process_.reset();
  raw_.reset();
  return *std::move(outcome_);
}

// The terminal becomes raw only now, so that Ctrl-C works while a connection is waited for.
void Session::on_open() {
  if (hands_over_ && query_.input) raw_ = RawTerminal::make(console_.in_descriptor());
  measure();
  if (query_.input) watch_input();
}

void Session::measure() {
  if (!hands_over_ || !process_) return;
  const Console::Size size = console_.size();
  process_->resize(size.width, size.height);
}

void Session::watch_input() {
  if (input_ended_ || outcome_ || ended_ || readable_ || !query_.input) return;
  readable_ = loop_.on_readable(console_.in_descriptor(), [this] { read_input(); });
}

void Session::read_input() {
  Result<std::string> piece = console_.read_some();
  if (!piece) return finish(std::move(piece).error());
  if (piece->empty()) {
    input_ended_ = true;
    readable_.reset();
    return process_->end_input();
  }
  process_->write(*piece);
  if (process_->waiting() > k_input_room) readable_.reset();
}

void Session::on_output(std::string_view bytes) {
  if (hands_over_ || is_exact(console_)) {
    output_ += bytes;
  } else {
    show(shown_out_.take(bytes));
  }
  if (!writable_) write_output();
}

void Session::show(const std::string& text) {
  const std::string shown = console_.as_out(text);
  changed_ = changed_ || (shown != text && !console_.out_is_tty);
  output_ += shown;
}

// With a terminal there is no such output.
void Session::on_error_output(std::string_view bytes) {
  const bool exact = !console_.err_is_tty && console_.ci == CiSystem::none;
  const std::string text = exact ? std::string(bytes) : shown_err_.take(bytes);
  if (!text.empty()) console_.err(console_.err_is_tty ? terminal_safe(text) : text);
}

void Session::write_output() {
  writable_.reset();
  std::string_view rest = output_;
  while (!rest.empty()) {
    const Result<std::size_t> taken = console_.offer(rest);
    if (!taken) return finish(taken.error());
    if (*taken == 0) break;
    rest.remove_prefix(*taken);
  }
  output_.erase(0, output_.size() - rest.size());
  if (process_) process_->pause(!output_.empty());
  if (!output_.empty()) {
    writable_ = loop_.on_writable(console_.out_descriptor(), [this] { write_output(); });
  } else if (ended_) {
    finish(*std::move(ended_));
  }
}

void Session::on_end(Result<kube::RemoteEnd> end) {
  readable_.reset();
  show(shown_out_.rest());
  if (changed_) {
    console_.warn("escaped CI commands in the output; --ci=none passes them through");
  }
  if (const std::string rest = shown_err_.rest(); !rest.empty()) console_.err(terminal_safe(rest));
  ended_ = end ? status_of(*end, query_) : Status(std::move(end).error());
  if (!writable_) write_output();
}

void Session::finish(Status status) {
  if (outcome_) return;
  readable_.reset();
  writable_.reset();
  outcome_ = std::move(status);
}

// `container not found` is what a kubelet says of one that has just ended or not begun.
bool names_no_container(std::string_view words) {
  return words.find("container not found") != std::string_view::npos ||
         words.find("is not running") != std::string_view::npos ||
         words.find("is not created or running") != std::string_view::npos;
}

bool names_no_program(std::string_view words) {
  for (const std::string_view part : {"exec failed", "executable file", "no such file or dir",
                                      "permission denied", "exec format error"}) {
    if (words.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool names_no_node(std::string_view words) {
  return words.find("dial tcp") != std::string_view::npos ||
         words.find("error dialing backend") != std::string_view::npos;
}

}  // namespace

Status status_of(const kube::RemoteEnd& end, const kube::RemoteQuery& query) {
  if (const auto* exit = std::get_if<kube::RemoteExit>(&end)) {
    if (exit->code == 0) return {};
    return Error{static_cast<Code>(exit->code), "", ""};
  }
  const std::string words = printable_line(std::get<kube::RemoteFault>(end).words);
  const std::string where = cat(query.pod, " (container ", query.container, ")");
  if (names_no_node(words)) {
    // In front of it stands the whole URL, with every word of the command.
    const std::string_view why = words;
    const std::size_t at = why.rfind("dial tcp");
    return Error{Code::unreachable,
                 cat("the node of ", query.pod,
                     " does not answer: ", at == std::string_view::npos ? why : why.substr(at)),
                 "try again; kubectl get nodes shows whether it is ready"};
  }
  if (names_no_container(words)) {
    return Error{Code::not_found, cat(where, " is not running: it has ended or has not started"),
                 "trainctl why JOB shows the job's state"};
  }
  if (names_no_program(words)) {
    return Error{Code::not_found, cat("in ", where, ": ", job::program_fault(words)),
                 "the image must hold the program; try sh instead of bash, or give its whole path"};
  }
  return Error{Code::error, cat("in ", where, ": ", words), ""};
}

Status run_session(Access& access, const kube::RemoteQuery& query, bool hands_over) {
  TRY_ASSIGN(kube::Client * client, access.client());
  Session session(access, *client, query, hands_over);
  return session.run();
}

}  // namespace trainctl::work
