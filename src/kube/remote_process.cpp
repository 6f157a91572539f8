// Speaks the channels of v5, or of v4 where a server knows no better.
#include "kube/remote_process.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "net/url.h"

namespace trainctl::kube {
namespace {

Result<net::Request> request_for(const RemoteQuery& query) {
  const bool attaches = query.command.empty();
  TRY_ASSIGN(std::string path,
             resource_path(k_pods, query.ns, query.pod, attaches ? "attach" : "exec"));
  net::Query parameters;
  for (const std::string& word : query.command) parameters.emplace_back("command", word);
  parameters.emplace_back("container", query.container);
  parameters.emplace_back("stdout", "true");
  if (!query.terminal) parameters.emplace_back("stderr", "true");
  if (query.input) parameters.emplace_back("stdin", "true");
  if (query.terminal) parameters.emplace_back("tty", "true");
  net::Request request;
  request.target = net::with_query(std::move(path), parameters);
  request.lane = net::Lane::stream;
  request.protocols = {std::string(k_channels_v5), std::string(k_channels_v4)};
  return request;
}

Error no_end_of_input(const Client& client) {
  return {Code::refused,
          cat(client.server(),
              " cannot pass on the end of stdin, so the command would wait for "
              "more for ever"),
          "API servers can since Kubernetes 1.30; run the command without -i"};
}

class Process : public std::enable_shared_from_this<Process> {
 public:
  Process(Client& client, const RemoteQuery& query, RemoteHandlers handlers)
      : client_(client), query_(query), handlers_(std::move(handlers)) {}

  void start();
  void abandon() {
    over_ = true;
    socket_ = nullptr;
    stream_.reset();
    later_.reset();
  }
  void send(Channel channel, std::string_view bytes) {
    if (socket_ != nullptr) socket_->send(channel_head(channel), bytes);
  }
  void end_input() {
    if (socket_ != nullptr && socket_->protocol() == k_channels_v5) {
      socket_->send(closing_message(Channel::input), "");
    }
  }
  std::size_t waiting() const { return socket_ == nullptr ? 0 : socket_->waiting(); }
  void pause(bool paused) {
    if (socket_ != nullptr) socket_->pause(paused);
  }

 private:
  void on_socket(net::WebSocket& socket);
  void on_message(std::string_view message);
  void on_end(std::optional<Failure> failure);
  void finish(Result<RemoteEnd> end);

  Client& client_;
  RemoteQuery query_;
  RemoteHandlers handlers_;
  net::WebSocket* socket_ = nullptr;
  std::string status_;
  bool over_ = false;
  HandlePtr stream_, later_;
};

void Process::start() {
  const std::weak_ptr<Process> weak = weak_from_this();
  Result<net::Request> request = request_for(query_);
  if (!request) {
    later_ = client_.loop().after({}, [weak, error = request.error()] {
      if (const auto self = weak.lock()) self->finish(error);
    });
    return;
  }
  StreamHandlers handlers;
  handlers.on_socket = [weak](net::WebSocket& socket) {
    if (const auto self = weak.lock()) self->on_socket(socket);
  };
  handlers.on_data = [weak](std::string_view message) {
    if (const auto self = weak.lock()) self->on_message(message);
  };
  handlers.on_drained = [weak] {
    const auto self = weak.lock();
    if (self && !self->over_ && self->handlers_.on_drained) self->handlers_.on_drained();
  };
  handlers.on_end = [weak](std::optional<Failure> failure) {
    if (const auto self = weak.lock()) self->on_end(std::move(failure));
  };
  stream_ = client_.stream(*std::move(request), std::move(handlers));
}

void Process::on_socket(net::WebSocket& socket) {
  if (over_) return;
  const bool must_end = query_.input && !query_.terminal;
  if (must_end && socket.protocol() != k_channels_v5) return finish(no_end_of_input(client_));
  socket_ = &socket;
  if (handlers_.on_open) handlers_.on_open();
}

// An answer that is not a 101, such as a proxy's, has no messages.
void Process::on_message(std::string_view message) {
  const auto read = read_message(message);
  if (over_ || socket_ == nullptr || !read) return;
  switch (read->channel) {
    case Channel::output:
      if (!read->bytes.empty() && handlers_.on_output) handlers_.on_output(read->bytes);
      return;
    case Channel::error_output:
      if (!read->bytes.empty() && handlers_.on_error_output) {
        handlers_.on_error_output(read->bytes);
      }
      return;
    case Channel::status:
      status_ += read->bytes;
      return;
    case Channel::input:
    case Channel::resize:
    case Channel::close:
      return;
  }
}

void Process::on_end(std::optional<Failure> failure) {
  if (over_) return;
  // What ended is known even where the connection was then closed without ceremony.
  if (!status_.empty()) return finish(read_end(status_));
  if (failure && socket_ != nullptr) failure->error.hint = "the command may still run there";
  if (failure) {
    return finish(remote_failure(*std::move(failure), query_.command.empty() ? "attach" : "exec"));
  }
  if (socket_ == nullptr) {
    return finish(Error{Code::unreachable,
                        cat(client_.server(), " does not open a connection to the container"),
                        "is a proxy on the way that does not let WebSockets through?"});
  }
  finish(Error{Code::unreachable, "the connection to the container was lost",
               "the command may still run there"});
}

void Process::finish(Result<RemoteEnd> end) {
  if (std::exchange(over_, true)) return;
  socket_ = nullptr;
  stream_.reset();
  if (handlers_.on_end) handlers_.on_end(std::move(end));
}

class ProcessHandle : public RemoteProcess {
 public:
  explicit ProcessHandle(std::shared_ptr<Process> process) : process_(std::move(process)) {}
  ~ProcessHandle() override { process_->abandon(); }
  void write(std::string_view bytes) override { process_->send(Channel::input, bytes); }
  void end_input() override { process_->end_input(); }
  void resize(int width, int height) override {
    process_->send(Channel::resize, size_message(width, height));
  }
  std::size_t waiting() const override { return process_->waiting(); }
  void pause(bool paused) override { process_->pause(paused); }

 private:
  std::shared_ptr<Process> process_;
};

}  // namespace

// A server that knows the path names the pod: `pods "ddp-worker-0" not found`.
Error remote_failure(Failure failure, std::string_view subresource) {
  const Refusal& refusal = failure.refusal;
  const bool unknown_path = refusal.status == 404 && !refusal.message.ends_with("\" not found");
  if (!unknown_path) return std::move(failure.error);
  return {Code::refused, cat("this cluster does not serve pods/", subresource),
          "the embedded cluster does not yet; trainctl logs JOB shows what a replica prints"};
}

std::unique_ptr<RemoteProcess> start_process(Client& client, const RemoteQuery& query,
                                             RemoteHandlers handlers) {
  auto process = std::make_shared<Process>(client, query, std::move(handlers));
  process->start();
  return std::make_unique<ProcessHandle>(std::move(process));
}

}  // namespace trainctl::kube
