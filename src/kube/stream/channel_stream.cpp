// Callbacks hold the stream weakly: its owner may destroy it from within one of them.
#include "kube/stream/channel_stream.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl::kube {
namespace {

// The error of a cluster that lacks exec, attach or portforward as a whole; other failures keep
// theirs: a server that knows the path names the pod, and a proxy answers with a page of its own.
Error cause_of(Failure failure, std::string_view subresource) {
  const Refusal& refusal = failure.refusal;
  const bool by_kubernetes =
      refusal.message.empty() || refusal.message.starts_with("404 page not found");
  if (refusal.status != 404 || !by_kubernetes) return std::move(failure.error);
  return {Code::refused, cat("this cluster does not serve pods/", subresource),
          "trainctl logs JOB shows what a replica prints"};
}

}  // namespace

void ChannelStream::start(Result<net::Request> request) {
  const std::weak_ptr<ChannelStream> weak = weak_from_this();
  if (!request) {
    later_ = client_.loop().after({}, [weak, error = request.error()] {
      if (const auto self = weak.lock()) self->end(Failure{error, {}});
    });
    return;
  }
  StreamHandlers handlers;
  handlers.on_socket = [weak](net::WebSocket& socket) {
    const auto self = weak.lock();
    if (!self || self->over_) return;
    self->socket_ = &socket;
    self->on_open();
  };
  // An answer that is not a 101, such as a proxy's, has no messages.
  handlers.on_data = [weak](std::string_view message) {
    const auto self = weak.lock();
    if (self && self->socket_ != nullptr) self->on_message(message);
  };
  handlers.on_drained = [weak] {
    const auto self = weak.lock();
    if (self && !self->over_) self->on_drained();
  };
  handlers.on_end = [weak](std::optional<Failure> failure) {
    if (const auto self = weak.lock()) self->end(std::move(failure));
  };
  stream_ = client_.stream(*std::move(request), std::move(handlers));
}

void ChannelStream::abandon() {
  over_ = true;
  socket_ = nullptr;
  stream_.reset();
  later_.reset();
}

void ChannelStream::send(std::string_view head, std::string_view body) {
  if (socket_ != nullptr) socket_->send(head, body);
}

void ChannelStream::pause(bool paused) {
  if (socket_ != nullptr) socket_->pause(paused);
}

void ChannelStream::end(std::optional<Failure> failure) {
  if (std::exchange(over_, true)) return;
  const bool was_open = std::exchange(socket_, nullptr) != nullptr;
  if (failure) {
    failure->error = cause_of(*failure, target_.subresource);
  } else if (!was_open) {
    failure =
        Failure{Error{Code::unreachable,
                      cat(client_.server(), " does not open a connection to the ", target_.what),
                      "does a proxy in between block WebSockets?"},
                {}};
  }
  on_end(std::move(failure), was_open);
}

namespace {

constexpr int k_most_code = 255;

std::optional<int> exit_code_in(const Json& status) {
  for (const Json& cause : array_at(status, "/details/causes")) {
    if (text_at(cause, "/reason") != "ExitCode") continue;
    const auto code = parse_number<int>(text_at(cause, "/message"));
    if (code && *code > 0 && *code <= k_most_code) return code;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ChannelMessage> read_message(std::string_view message) {
  if (message.empty()) return std::nullopt;
  const auto number = static_cast<unsigned char>(message.front());
  const bool known = number <= static_cast<unsigned char>(Channel::resize) ||
                     number == static_cast<unsigned char>(Channel::close);
  if (!known) return std::nullopt;
  return ChannelMessage{static_cast<Channel>(number), message.substr(1)};
}

std::string channel_head(Channel channel) {
  return {static_cast<char>(channel)};
}

std::string closing_message(Channel channel) {
  return {static_cast<char>(Channel::close), static_cast<char>(channel)};
}

std::string size_message(int width, int height) {
  return dump(Json{{"Width", width}, {"Height", height}});
}

RemoteEnd read_end(std::string_view status) {
  const Result<Json> parsed = parse_json(status, "the end of the command");
  const std::string unclear = "the server did not report how the command ended: ";
  if (!parsed || !parsed->is_object()) {
    return RemoteFault{unclear + printable_line(status.substr(0, 200))};
  }
  if (text_at(*parsed, "/status") == "Success") return RemoteExit{0};
  if (const auto code = exit_code_in(*parsed)) return RemoteExit{*code};
  std::string words = text_at(*parsed, "/message");
  if (words.empty()) words = text_at(*parsed, "/reason");
  return RemoteFault{words.empty() ? unclear + "it gave no reason" : words};
}

}  // namespace trainctl::kube
