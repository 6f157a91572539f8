// Speaks v4.channel.k8s.io for one port: channel 0 has data, channel 1 what went wrong.
#include "kube/port_stream.h"

#include <utility>

#include "base/text.h"
#include "kube/channels.h"
#include "kube/remote_process.h"
#include "net/url.h"

namespace trainctl::kube {
namespace {

constexpr char k_data = 0;
constexpr char k_fault = 1;
constexpr std::size_t k_port_bytes = 2;  // in front of the first data of each channel
constexpr std::size_t k_fault_limit = 4096;

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(Client& client, std::string_view pod, int port, PortHandlers handlers)
      : client_(client), pod_(pod), port_(port), handlers_(std::move(handlers)) {}

  void start(std::string_view ns);
  void abandon() {
    over_ = true;
    socket_ = nullptr;
    request_.reset();
    later_.reset();
  }
  void write(std::string_view bytes) {
    if (socket_ != nullptr) socket_->send(std::string_view(&k_data, 1), bytes);
  }
  std::size_t waiting() const { return socket_ == nullptr ? 0 : socket_->waiting(); }
  void pause(bool paused) {
    if (socket_ != nullptr) socket_->pause(paused);
  }

 private:
  void on_message(std::string_view message);
  void on_end(std::optional<Failure> failure);

  Client& client_;
  std::string pod_;
  int port_;
  PortHandlers handlers_;
  net::WebSocket* socket_ = nullptr;
  std::size_t unread_[2] = {k_port_bytes, k_port_bytes};  // bytes of the port's number to come
  std::string fault_;
  bool over_ = false;
  HandlePtr request_, later_;
};

void Stream::start(std::string_view ns) {
  const std::weak_ptr<Stream> weak = weak_from_this();
  Result<std::string> path = resource_path(k_pods, ns, pod_, "portforward");
  if (!path) {
    later_ = client_.loop().after({}, [weak, error = path.error()] {
      if (const auto self = weak.lock()) self->on_end(Failure{error, {}});
    });
    return;
  }
  net::Request request;
  request.target = net::with_query(*std::move(path), {{"ports", std::to_string(port_)}});
  request.lane = net::Lane::stream;
  request.protocols = {std::string(k_channels_v4)};
  StreamHandlers handlers;
  handlers.on_socket = [weak](net::WebSocket& socket) {
    const auto self = weak.lock();
    if (!self || self->over_) return;
    self->socket_ = &socket;
    if (self->handlers_.on_open) self->handlers_.on_open();
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
  request_ = client_.stream(std::move(request), std::move(handlers));
}

void Stream::on_message(std::string_view message) {
  if (over_ || socket_ == nullptr || message.empty()) return;
  const char channel = message.front();
  if (channel != k_data && channel != k_fault) return;
  message.remove_prefix(1);
  std::size_t& unread = unread_[static_cast<std::size_t>(channel)];
  const std::size_t skipped = std::min(unread, message.size());
  unread -= skipped;
  message.remove_prefix(skipped);
  if (message.empty()) return;
  if (channel == k_fault) {
    fault_ += message.substr(0, k_fault_limit - std::min(k_fault_limit, fault_.size()));
  } else if (handlers_.on_data) {
    handlers_.on_data(message);
  }
}

void Stream::on_end(std::optional<Failure> failure) {
  if (std::exchange(over_, true)) return;
  const bool opened = std::exchange(socket_, nullptr) != nullptr;
  if (!fault_.empty()) {
    failure = Failure{port_fault(fault_, pod_, port_), {}};
  } else if (failure) {
    failure->error = remote_failure(*failure, "portforward");
  } else if (!opened) {
    failure = Failure{
        Error{Code::unreachable, cat(client_.server(), " does not open a connection to the pod"),
              "is a proxy on the way that does not let WebSockets through?"},
        {}};
  }
  if (handlers_.on_end) handlers_.on_end(std::move(failure));
}

class StreamHandle : public PortStream {
 public:
  explicit StreamHandle(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
  ~StreamHandle() override { stream_->abandon(); }
  void write(std::string_view bytes) override { stream_->write(bytes); }
  std::size_t waiting() const override { return stream_->waiting(); }
  void pause(bool paused) override { stream_->pause(paused); }

 private:
  std::shared_ptr<Stream> stream_;
};

}  // namespace

std::unique_ptr<PortStream> open_port(Client& client, std::string_view ns, std::string_view pod,
                                      int port, PortHandlers handlers) {
  auto stream = std::make_shared<Stream>(client, pod, port, std::move(handlers));
  stream->start(ns);
  return std::make_unique<StreamHandle>(std::move(stream));
}

Error port_fault(std::string_view words, std::string_view pod, int port) {
  const std::string place = cat("port ", port, " of ", pod);
  if (words.find("connection refused") != std::string_view::npos) {
    return {Code::unreachable, cat("nothing listens on ", place),
            "its program must listen on localhost there, or has not begun to"};
  }
  return {Code::unreachable, cat(place, ": ", printable_line(words)), ""};
}

}  // namespace trainctl::kube
