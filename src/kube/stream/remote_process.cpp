// Speaks the channels of v5, or of v4 where a server knows no better.
#include "kube/stream/remote_process.h"

#include <optional>
#include <utility>

#include "base/text/text.h"
#include "kube/stream/channel_stream.h"
#include "net/url.h"

namespace trainctl::kube {
namespace {

// Limits the kept bytes of the Status that reports the end, which has a few hundred.
constexpr std::size_t k_status_limit = std::size_t{64} << 10;

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
              " cannot signal the end of stdin, so the command would wait for "
              "input for ever"),
          "this needs Kubernetes 1.30 or newer; run the command without -i"};
}

class Process : public ChannelStream {
 public:
  Process(Client& client, const RemoteQuery& query, RemoteHandlers handlers)
      : ChannelStream(client, {query.command.empty() ? "attach" : "exec", "container"}),
        must_end_input_(query.input && !query.terminal),
        handlers_(std::move(handlers)) {}

  void send_on(Channel channel, std::string_view bytes) { send(channel_head(channel), bytes); }
  void end_input() {
    if (has_v5()) send(closing_message(Channel::input), "");
  }

 private:
  void on_open() override;
  void on_message(std::string_view message) override;
  void on_drained() override {
    if (handlers_.on_drained) handlers_.on_drained();
  }
  void on_end(std::optional<Failure> failure, bool was_open) override;
  void finish(Result<RemoteEnd> end);
  bool has_v5() { return socket() != nullptr && socket()->protocol() == k_channels_v5; }

  bool must_end_input_;
  RemoteHandlers handlers_;
  std::string status_;
};

void Process::on_open() {
  if (must_end_input_ && !has_v5()) {
    abandon();
    return finish(no_end_of_input(client()));
  }
  if (handlers_.on_open) handlers_.on_open();
}

void Process::on_message(std::string_view message) {
  const auto read = read_message(message);
  if (!read) return;
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
      status_ += read->bytes.substr(0, k_status_limit - status_.size());
      return;
    case Channel::input:
    case Channel::resize:
    case Channel::close:
      return;
  }
}

void Process::on_end(std::optional<Failure> failure, bool was_open) {
  // The end is known even if the connection was then closed without a closing handshake.
  if (!status_.empty()) return finish(read_end(status_));
  constexpr std::string_view k_may_run = "the command may still run there";
  if (!failure) {
    return finish(Error{Code::unreachable, "the connection to the container was lost",
                        std::string(k_may_run)});
  }
  if (was_open) failure->error.hint = k_may_run;
  finish(std::move(failure->error));
}

void Process::finish(Result<RemoteEnd> end) {
  if (handlers_.on_end) handlers_.on_end(std::move(end));
}

class ProcessHandle : public RemoteProcess {
 public:
  explicit ProcessHandle(std::shared_ptr<Process> process) : process_(std::move(process)) {}
  ~ProcessHandle() override { process_->abandon(); }
  void write(std::string_view bytes) override { process_->send_on(Channel::input, bytes); }
  void end_input() override { process_->end_input(); }
  void resize(int width, int height) override {
    process_->send_on(Channel::resize, size_message(width, height));
  }
  std::size_t waiting() const override { return process_->waiting(); }
  void pause(bool paused) override { process_->pause(paused); }

 private:
  std::shared_ptr<Process> process_;
};

}  // namespace

std::unique_ptr<RemoteProcess> start_process(Client& client, const RemoteQuery& query,
                                             RemoteHandlers handlers) {
  auto process = std::make_shared<Process>(client, query, std::move(handlers));
  process->start(request_for(query));
  return std::make_unique<ProcessHandle>(std::move(process));
}

}  // namespace trainctl::kube
