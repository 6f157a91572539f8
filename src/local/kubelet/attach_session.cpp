// Follows a log from its present end, and writes to the program's FIFO.
#include "local/kubelet/attach_session.h"

#include <utility>

#include <fcntl.h>

#include "base/text/text.h"
#include "kube/stream/channel_stream.h"
#include "local/kubelet/exec_order.h"
#include "local/kubelet/log_reader.h"
#include "local/kubelet/pipe_end.h"
#include "local/kubelet/session_words.h"

namespace trainctl::local {
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
