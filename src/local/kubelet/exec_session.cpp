// Connects the channels of a WebSocket with the streams of a child of the container's guard.
#include "local/kubelet/exec_session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/stream/channel_stream.h"
#include "local/api_error.h"
#include "local/kubelet/exec_order.h"
#include "local/kubelet/log_reader.h"
#include "local/kubelet/pipe_end.h"

namespace trainctl::local {
namespace {

// Sends a Status and closes the connection.
void finish_session(ApiSocket& socket, std::string_view words) {
  socket.send(kube::channel_head(kube::Channel::status), words);
  socket.close();
}

class RefusedSession : public ApiSession {
 public:
  explicit RefusedSession(std::string words) : words_(std::move(words)) {}
  void begin(ApiSocket& socket) override { finish_session(socket, words_); }
  void take(std::string_view) override {}
  void on_drained() override {}

 private:
  std::string words_;
};

// The words of a session's end: the Status objects of a real API server, on channel 3.
std::string success_words() {
  return dump(Json{{"metadata", Json::object()}, {"status", "Success"}});
}

}  // namespace

std::string exit_words(int code, std::string_view protocol,
                       const std::vector<std::string>& command) {
  if (code == 0) return success_words();
  const std::string how =
      protocol == kube::k_channels_v5
          ? cat("command terminated with exit code ", code)
          : cat("error executing command [", join(command, " "), "], exit code ", code);
  const Json cause = {{"reason", "ExitCode"}, {"message", cat(code)}};
  return dump(Json{{"metadata", Json::object()},
                   {"status", "Failure"},
                   {"message", cat("command terminated with non-zero exit code: ", how)},
                   {"reason", "NonZeroExitCode"},
                   {"details", {{"causes", Json::array({cause})}}}});
}

namespace {

std::string fault_words(std::string_view why) {
  ApiError error;
  error.code = 500;
  error.reason = "InternalError";
  error.message = cat("Internal error occurred: ", why);
  error.details = {{"causes", Json::array({Json{{"message", why}}})}};
  Json status = status_object(error);
  status.erase("kind");
  status.erase("apiVersion");
  return dump(status);
}

}  // namespace

std::unique_ptr<ApiSession> refused_session(std::string_view why) {
  return std::make_unique<RefusedSession>(fault_words(why));
}

namespace {

using kube::Channel;

// The words in front of a runtime's own.
constexpr std::string_view k_not_executed =
    "error executing command in container: failed to exec in container: failed to start exec: OCI "
    "runtime exec failed: exec failed: ";

struct TwoEnds {
  Descriptor ours = Descriptor();
  Descriptor theirs = Descriptor();
};

// The program has the end of the pipe that `theirs` says: 0 to read from, 1 to write to.
TwoEnds new_pipe(int theirs) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  return {Descriptor(ends[1 - theirs]), Descriptor(ends[theirs])};
}

TwoEnds nothing() {
  return {Descriptor(), Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC))};
}

TwoEnds new_terminal() {
  TwoEnds ends{Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), Descriptor()};
  if (!ends.ours || ::grantpt(ends.ours.get()) != 0 || ::unlockpt(ends.ours.get()) != 0) return {};
  ends.theirs.reset(::ioctl(ends.ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  return ends;
}

std::uint16_t side_of(const Json& size, std::string_view name) {
  return static_cast<std::uint16_t>(
      std::clamp<std::int64_t>(int_at(size, name).value_or(0), 0, UINT16_MAX));
}

class ExecSession : public ApiSession {
 public:
  ExecSession(UvLoop& loop, std::string directory, StreamQuestion question)
      : loop_(loop), directory_(std::move(directory)), question_(std::move(question)) {}

  void begin(ApiSocket& socket) override;
  void take(std::string_view message) override;
  void on_drained() override { pause_outputs(false); }

 private:
  bool start();
  std::unique_ptr<PipeEnd> output_end(Descriptor fd, Channel channel);
  std::unique_ptr<PipeEnd> input_end(Descriptor fd);
  void on_output(Channel channel, std::string_view bytes);
  void pause_outputs(bool paused);
  void on_output_end();
  void on_input_drained() { socket_->pause(false); }
  void give(std::string_view bytes);
  void resize(std::string_view text);
  void on_answer();
  void finish(const std::string& words);

  UvLoop& loop_;
  std::string directory_;
  StreamQuestion question_;
  ApiSocket* socket_ = nullptr;
  // With a terminal, `output_` is its only end, which is also written to.
  std::unique_ptr<PipeEnd> input_, output_, errors_;
  int open_outputs_ = 0;
  std::unique_ptr<PipeEnd> guard_;
  std::string answer_;
  bool answered_ = false;
  bool finished_ = false;
};

void ExecSession::begin(ApiSocket& socket) {
  socket_ = &socket;
  if (!start()) {
    finish(fault_words(
        cat("unable to upgrade connection: container not found (\"", question_.container, "\")")));
  }
}

bool ExecSession::start() {
  ExecOrder order{question_.command, question_.terminal};
  std::array<TwoEnds, 3> ends;
  if (question_.terminal) {
    ends[0] = new_terminal();
  } else {
    ends[0] = question_.input ? new_pipe(0) : nothing();
    ends[1] = question_.output ? new_pipe(1) : nothing();
    ends[2] = question_.error_output ? new_pipe(1) : nothing();
  }
  std::vector<int> streams;
  for (const TwoEnds& one : ends) {
    if (one.theirs) streams.push_back(one.theirs.get());
  }
  if (streams.size() != (question_.terminal ? 1 : ends.size())) {
    finish(fault_words(cat(k_not_executed, "no terminal or pipe: ", system_words(errno))));
    return true;
  }
  Descriptor connection = send_order(directory_, order, streams);
  if (!connection) return false;
  PipeEnd::Handlers handlers;
  handlers.on_bytes = [this](std::string_view bytes) { answer_ += bytes; };
  handlers.on_end = [this] { on_answer(); };
  guard_ = std::make_unique<PipeEnd>(loop_, std::move(connection), std::move(handlers));
  if (question_.terminal) {
    output_ = output_end(std::move(ends[0].ours), Channel::output);
    return true;
  }
  if (ends[0].ours) input_ = input_end(std::move(ends[0].ours));
  if (ends[1].ours) output_ = output_end(std::move(ends[1].ours), Channel::output);
  if (ends[2].ours) errors_ = output_end(std::move(ends[2].ours), Channel::error_output);
  return true;
}

std::unique_ptr<PipeEnd> ExecSession::output_end(Descriptor fd, Channel channel) {
  ++open_outputs_;
  PipeEnd::Handlers handlers;
  handlers.on_bytes = [this, channel](std::string_view bytes) { on_output(channel, bytes); };
  handlers.on_end = [this] { on_output_end(); };
  handlers.on_drained = [this] { on_input_drained(); };
  return std::make_unique<PipeEnd>(loop_, std::move(fd), std::move(handlers));
}

std::unique_ptr<PipeEnd> ExecSession::input_end(Descriptor fd) {
  PipeEnd::Handlers handlers;
  handlers.on_drained = [this] { on_input_drained(); };
  return std::make_unique<PipeEnd>(loop_, std::move(fd), std::move(handlers));
}

void ExecSession::on_output(Channel channel, std::string_view bytes) {
  socket_->send(kube::channel_head(channel), bytes);
  if (socket_->waiting() > k_session_room) pause_outputs(true);
}

void ExecSession::pause_outputs(bool paused) {
  for (PipeEnd* end : {output_.get(), errors_.get()}) {
    if (end != nullptr) end->pause(paused);
  }
}

void ExecSession::take(std::string_view text) {
  const auto message = kube::read_message(text);
  if (!message || finished_) return;
  if (message->channel == Channel::input) give(message->bytes);
  if (message->channel == Channel::resize) resize(message->bytes);
  const bool ends_input = message->channel == Channel::close && !message->bytes.empty() &&
                          message->bytes.front() == static_cast<char>(Channel::input) &&
                          question_.protocol == kube::k_channels_v5;
  if (ends_input && input_) input_->end_writing();
}

void ExecSession::give(std::string_view bytes) {
  PipeEnd* end = question_.terminal ? output_.get() : input_.get();
  if (end == nullptr || !question_.input) return;
  end->write(bytes);
  if (end->waiting() > k_session_room) socket_->pause(true);
}

void ExecSession::resize(std::string_view text) {
  const auto size = parse_json(std::string(text), "the terminal's size");
  if (!size || !question_.terminal || !output_) return;
  winsize shape{};
  shape.ws_col = side_of(*size, "/Width");
  shape.ws_row = side_of(*size, "/Height");
  ::ioctl(output_->fd(), TIOCSWINSZ, &shape);
}

// The program's end is reported only after its outputs have ended: its children may still write.
void ExecSession::on_output_end() {
  --open_outputs_;
  if (answered_) on_answer();
}

void ExecSession::on_answer() {
  answered_ = true;
  const Halves words = split_once(answer_.substr(0, answer_.find('\n')), ' ');
  if (words.first == k_exec_fault) {
    return finish(fault_words(cat(k_not_executed,
                                  words.second.starts_with("exec: ")
                                      ? "unable to start container process: "
                                      : "unable to start container process: error during "
                                        "container init: ",
                                  words.second, ": unknown")));
  }
  if (open_outputs_ > 0) return;
  // Without an answer the guard is gone, and the program with it.
  constexpr int k_killed = 137;
  const int code = words.first == k_exec_exit ? std::atoi(words.second.c_str()) : k_killed;
  finish(exit_words(code, question_.protocol, question_.command));
}

void ExecSession::finish(const std::string& words) {
  if (std::exchange(finished_, true)) return;
  finish_session(*socket_, words);
}

}  // namespace

std::unique_ptr<ApiSession> exec_session(UvLoop& loop, std::string directory,
                                         StreamQuestion question) {
  const bool has_nul = std::ranges::any_of(question.command, [](const std::string& word) {
    return word.find('\0') != std::string::npos;
  });
  if (question.command.empty() || has_nul) {
    return refused_session(
        cat(k_not_executed, has_nul ? "invalid argument" : "args must not be empty", ": unknown"));
  }
  return std::make_unique<ExecSession>(loop, std::move(directory), std::move(question));
}

namespace {

using kube::Channel;

constexpr std::size_t k_log_piece = std::size_t{32} << 10;
// One busy program must not keep the loop from the others.
constexpr int k_pieces_a_turn = 16;

LogQuestion from_now_on() {
  LogQuestion question;
  question.follow = true;
  question.tail_lines = 0;
  return question;
}

class AttachSession : public ApiSession {
 public:
  AttachSession(UvLoop& loop, LogWatcher& watcher, std::string directory, StreamQuestion question,
                bool once)
      : loop_(loop),
        watcher_(watcher),
        directory_(std::move(directory)),
        question_(std::move(question)),
        once_(once) {}
  ~AttachSession() override { end_input(); }

  void begin(ApiSocket& socket) override;
  void take(std::string_view message) override;
  void on_drained() override { show(); }

 private:
  void open_input();
  void end_input();
  void show();

  UvLoop& loop_;
  LogWatcher& watcher_;
  std::string directory_;
  StreamQuestion question_;
  bool once_;
  ApiSocket* socket_ = nullptr;
  std::unique_ptr<ApiStream> log_;
  bool log_ended_ = false;
  std::unique_ptr<PipeEnd> input_;
  HandlePtr again_;
};

void AttachSession::begin(ApiSocket& socket) {
  socket_ = &socket;
  if (question_.input) open_input();
  log_ = open_log(watcher_, directory_, from_now_on());
  log_->on_ready([this] { show(); });
  again_ = loop_.after({}, [this] { show(); });
}

// A container whose spec asks for no stdin has none: input is dropped then, as on a node.
void AttachSession::open_input() {
  const std::string path = cat(directory_, "/", k_input_file);
  Descriptor fifo(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fifo) return;
  PipeEnd::Handlers handlers;
  handlers.on_drained = [this] { socket_->pause(false); };
  input_ = std::make_unique<PipeEnd>(loop_, std::move(fifo), std::move(handlers));
}

void AttachSession::end_input() {
  if (!input_) return;
  input_->end_writing();
  if (once_) send_order(directory_, ExecOrder{}, {});
}

void AttachSession::take(std::string_view text) {
  const auto message = kube::read_message(text);
  if (!message || !input_) return;
  if (message->channel == Channel::input) {
    input_->write(message->bytes);
    if (input_->waiting() > k_session_room) socket_->pause(true);
  }
  const bool ends_input = message->channel == Channel::close && !message->bytes.empty() &&
                          message->bytes.front() == static_cast<char>(Channel::input);
  if (ends_input) end_input();
}

void AttachSession::show() {
  again_.reset();
  for (int pieces = 0; !log_ended_ && socket_->waiting() <= k_session_room; ++pieces) {
    if (pieces == k_pieces_a_turn) {
      again_ = loop_.after({}, [this] { show(); });
      return;
    }
    const auto piece = log_->read(k_log_piece);
    if (!piece) {
      log_ended_ = true;
      return finish_session(*socket_, success_words());
    }
    if (piece->empty()) return;
    if (question_.output) socket_->send(kube::channel_head(Channel::output), *piece);
  }
}

}  // namespace

std::unique_ptr<ApiSession> attach_session(UvLoop& loop, LogWatcher& watcher, std::string directory,
                                           StreamQuestion question, bool once) {
  return std::make_unique<AttachSession>(loop, watcher, std::move(directory), std::move(question),
                                         once);
}

}  // namespace trainctl::local
