// A kubelet that is stopped reports success for programs it no longer sees, so each script prints
// an end marker.
#include "transfer/script.h"

#include <cstdlib>
#include <utility>

#include "base/text/text.h"
#include "work/session/session.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_room = std::size_t{1} << 20;  // on its way in either direction
// Limits an answer read as a whole: facts, sums, names of about a million files.
constexpr std::size_t k_longest_answer = std::size_t{64} << 20;
constexpr std::size_t k_words_kept = std::size_t{16} << 10;  // of what the script complains

// The outer shell keeps stdout open until it has named the status: containerd closes the input of a
// process as soon as nobody holds its output, as `cat >FILE` alone does (containerd issue 13934).
std::vector<std::string> command_of(std::string_view text, std::vector<std::string> arguments) {
  std::vector<std::string> command = {
      "sh", "-c",
      cat("(\n", text,
          "\n)\nstatus=$?\nprintf 'trainctl-end %d\\n' \"$status\" >&2\nexit \"$status\""),
      "sh"};
  for (std::string& argument : arguments) command.push_back(std::move(argument));
  return command;
}

// The status that a script has named as its own.
std::optional<int> named_end(std::string_view words) {
  constexpr std::string_view k_word = "trainctl-end ";
  const std::size_t at = words.rfind(k_word);
  if (at == std::string_view::npos || !words.ends_with('\n')) return std::nullopt;
  return std::atoi(std::string(words.substr(at + k_word.size())).c_str());
}

// The complaint that says most: the first, without the counts that dd prints.
std::string complaint(std::string_view words) {
  for (const std::string& line : written_lines(words)) {
    const bool counts =
        line.find(" records ") != std::string::npos || line.find(" copied, ") != std::string::npos;
    if (!counts && !line.starts_with("trainctl-end ")) return printable_line(trim(line));
  }
  return "";
}

bool is_away_for_a_while(std::string_view words) {
  return words.find("pod does not exist") != std::string_view::npos ||
         words.find("container not found") != std::string_view::npos;
}

}  // namespace

void Shell::heed_signals() {
  signals = access.loop.ending_signals().watch([this](const EndingSignal& signal) {
    interruption = Error{signal.code, std::string(signal.what_happened), ""};
  });
}

struct Script::State {
  explicit State(Shell& where) : shell(where), query(where.target.query()) {}

  Shell& shell;
  kube::RemoteQuery query;
  bool open = false;
  bool input_ended = false;  // before the connection was there
  std::string output, current, words;
  std::string early;  // input before the connection was there
  std::optional<Status> ended;
  bool cut = false;
  std::unique_ptr<kube::RemoteProcess> process;

  Loop& loop() const { return shell.access.loop; }
  void start();
  void on_words(std::string_view bytes);
  void on_end(Result<kube::RemoteEnd> end);
  Status judged(Result<kube::RemoteEnd> end);
  Status wait(const std::function<bool()>& done);
};

void Script::State::start() {
  kube::RemoteHandlers handlers;
  handlers.on_open = [this] {
    open = true;
    if (!early.empty()) process->write(early);
    early.clear();
    if (input_ended) process->end_input();
  };
  handlers.on_output = [this](std::string_view bytes) {
    output += bytes;
    if (output.size() > k_room) process->pause(true);
  };
  handlers.on_error_output = [this](std::string_view bytes) { on_words(bytes); };
  handlers.on_end = [this](Result<kube::RemoteEnd> end) { on_end(std::move(end)); };
  process = kube::start_process(shell.client, query, std::move(handlers));
}

// A node may wait for input to be taken before it tells the end of a process that takes none.
void Script::State::on_words(std::string_view bytes) {
  words += bytes;
  if (words.size() > 2 * k_words_kept) words.erase(k_words_kept / 2, words.size() - k_words_kept);
  const std::optional<int> end = named_end(words);
  if (end.value_or(0) != 0 && !ended) on_end(kube::RemoteEnd{kube::RemoteExit{*end}});
}

void Script::State::on_end(Result<kube::RemoteEnd> end) {
  if (ended) return;
  ended = judged(std::move(end));
  if (*ended) shell.has_worked = true;
}

Status Script::State::judged(Result<kube::RemoteEnd> end) {
  if (!end) {
    Error error = std::move(end).error();
    cut = error.code == Code::unreachable || error.code == Code::timeout;
    if (cut) error.hint.clear();  // a copy retries in its own way
    return error;
  }
  const std::string where = shell.target.name();
  if (const auto* exit = std::get_if<kube::RemoteExit>(&*end)) {
    if (exit->code == 0 && named_end(words) == 0) return {};
    cut = exit->code == 0;
    if (cut)
      return Error{Code::unreachable, cat("the node of ", where, " has ended the connection")};
    const std::string why = complaint(words);
    return Error{Code::error,
                 cat("in ", where, ": ", why.empty() ? cat("status ", exit->code) : why)};
  }
  const Status status = status_of(*end, query);
  const std::string& fault = std::get<kube::RemoteFault>(*end).words;
  cut =
      status.error().code == Code::unreachable || (shell.has_worked && is_away_for_a_while(fault));
  const bool no_shell = status.error().code == Code::not_found && !is_away_for_a_while(fault) &&
                        fault.find("is not running") == std::string::npos;
  if (!no_shell || cut) return status;
  return Error{Code::not_found, cat(where, " has no shell, which a copy needs"),
               "use an image with sh, or a volume that another pod can read"};
}

Status Script::State::wait(const std::function<bool()>& done) {
  loop().run_until([this, &done] { return shell.interruption || ended || done(); });
  shell.cut = false;
  if (shell.interruption) return *shell.interruption;
  return {};
}

Script::Script(Shell& shell, std::string_view text, std::vector<std::string> arguments, bool input)
    : state_(std::make_unique<State>(shell)) {
  state_->query.command = command_of(text, std::move(arguments));
  state_->query.input = input;
  state_->start();
}

Script::~Script() = default;

Result<std::string_view> Script::read() {
  State& state = *state_;
  state.current.clear();
  if (state.output.empty()) TRY(state.wait([&state] { return !state.output.empty(); }));
  if (state.output.empty()) {
    state.shell.cut = state.cut;
    if (!*state.ended) return state.ended->error();
    return std::string_view();
  }
  std::swap(state.current, state.output);
  if (!state.ended) state.process->pause(false);
  return std::string_view(state.current);
}

Status Script::write(std::string_view bytes) {
  State& state = *state_;
  TRY(state.wait([&state] { return state.open && state.process->waiting() < k_room; }));
  if (!state.ended) {
    state.process->write(bytes);
    return {};
  }
  state.shell.cut = state.cut;
  if (!*state.ended) return *state.ended;
  return Error{Code::error, cat(state.shell.target.name(), " did not take all bytes")};
}

void Script::send(std::string_view bytes) {
  if (state_->ended) return;
  if (state_->open) return state_->process->write(bytes);
  state_->early += bytes;
}

void Script::end_input() {
  state_->input_ended = true;
  if (state_->open && !state_->ended) state_->process->end_input();
}

Result<std::string> Script::finish(std::optional<Duration> limit) {
  State& state = *state_;
  bool late = false;
  const HandlePtr timer =
      limit ? state.loop().after(*limit, [&late] { late = true; }) : HandlePtr();
  std::string all;
  while (true) {
    if (state.output.empty()) TRY(state.wait([&] { return late || !state.output.empty(); }));
    all += std::exchange(state.output, "");
    if (all.size() > k_longest_answer) {
      return Error{Code::error,
                   cat(state.shell.target.name(), " sent an answer of more than 64 MiB")};
    }
    if (state.ended) break;
    if (late) return Error{Code::timeout, "it takes too long"};
    state.process->pause(false);
  }
  state.shell.cut = state.cut;
  if (!*state.ended) return state.ended->error();
  return all;
}

std::vector<std::string> Script::complaints() const {
  return written_lines(state_->words);
}

}  // namespace trainctl::work
