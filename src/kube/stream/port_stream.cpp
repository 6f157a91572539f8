// Speaks v4.channel.k8s.io for one port: channel 0 has data, channel 1 what went wrong.
#include "kube/stream/port_stream.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "kube/stream/channel_stream.h"
#include "net/url.h"

namespace trainctl::kube {
namespace {

constexpr char k_data = 0;
constexpr char k_fault = 1;
constexpr std::size_t k_port_bytes = 2;  // in front of the first data of each channel
constexpr std::size_t k_fault_limit = 4096;

Result<net::Request> request_for(std::string_view ns, std::string_view pod, int port) {
  TRY_ASSIGN(std::string path, resource_path(k_pods, ns, pod, "portforward"));
  net::Request request;
  request.target = net::with_query(std::move(path), {{"ports", std::to_string(port)}});
  request.lane = net::Lane::stream;
  request.protocols = {std::string(k_channels_v4)};
  return request;
}

class Stream : public ChannelStream {
 public:
  Stream(Client& client, std::string_view pod, int port, PortHandlers handlers)
      : ChannelStream(client, {"portforward", "pod"}),
        pod_(pod),
        port_(port),
        handlers_(std::move(handlers)) {}

  void write(std::string_view bytes) { send(std::string_view(&k_data, 1), bytes); }

 private:
  void on_open() override {
    if (handlers_.on_open) handlers_.on_open();
  }
  void on_message(std::string_view message) override;
  void on_drained() override {
    if (handlers_.on_drained) handlers_.on_drained();
  }
  void on_end(std::optional<Failure> failure, bool was_open) override;

  std::string pod_;
  int port_;
  PortHandlers handlers_;
  std::size_t unread_[2] = {k_port_bytes, k_port_bytes};  // bytes of the port's number to come
  std::string fault_;
};

void Stream::on_message(std::string_view message) {
  if (message.empty()) return;
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

void Stream::on_end(std::optional<Failure> failure, bool /*was_open*/) {
  if (!fault_.empty()) failure = Failure{port_fault(fault_, pod_, port_), {}};
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
  stream->start(request_for(ns, pod, port));
  return std::make_unique<StreamHandle>(std::move(stream));
}

Error port_fault(std::string_view words, std::string_view pod, int port) {
  const std::string place = cat("port ", port, " of ", pod);
  if (words.find("connection refused") != std::string_view::npos) {
    return {
        Code::unreachable, cat("nothing listens on ", place),
        "the replica's program must listen on localhost; it may not have started listening yet"};
  }
  return {Code::unreachable, cat(place, ": ", printable_line(words)), ""};
}

}  // namespace trainctl::kube
