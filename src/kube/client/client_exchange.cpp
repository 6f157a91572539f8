// Every callback keeps the exchange alive, so that its owner may release it at any moment.
#include "kube/client/client_exchange.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace trainctl::kube {

namespace {

constexpr std::size_t k_refusal_limit = std::size_t{1} << 20;

constexpr int k_switching_protocols = 101;

bool is_success(int status) {
  return (status >= 200 && status < 300) || status == k_switching_protocols;
}

bool has_header(const net::Request& request, std::string_view name) {
  return std::ranges::any_of(request.headers,
                             [name](const net::Header& header) { return header.name == name; });
}

}  // namespace

Client::Exchange::Exchange(Client& client, net::Request request, StreamHandlers handlers)
    : client_(client), request_(std::move(request)), handlers_(std::move(handlers)) {
  if (!has_header(request_, "Accept")) {
    request_.headers.push_back({"Accept", "application/json, */*"});
  }
  if (!request_.body.empty() && !has_header(request_, "Content-Type")) {
    request_.headers.push_back({"Content-Type", "application/json"});
  }
}

void Client::Exchange::start() {
  starting_ = true;
  ask_credential();
  starting_ = false;
}

void Client::Exchange::ask_credential() {
  const std::weak_ptr<Exchange> weak = weak_from_this();
  credential_ = client_.credentials_->get([weak](Result<Credential> credential) {
    if (const auto self = weak.lock()) self->on_credential(std::move(credential));
  });
}

void Client::Exchange::abandon() {
  over_ = true;
  credential_.reset();
  transfer_.reset();
  later_.reset();
}

void Client::Exchange::on_credential(Result<Credential> credential) {
  if (over_) return;
  if (credential) return send(*credential);
  if (!starting_) return finish(Failure{credential.error(), {}});
  const std::weak_ptr<Exchange> weak = weak_from_this();
  later_ = client_.loop_.after({}, [weak, error = credential.error()] {
    if (const auto self = weak.lock()) self->finish(Failure{error, {}});
  });
}

void Client::Exchange::send(const Credential& credential) {
  generation_ = credential.generation;
  attempt_ = {};
  net::Request request = request_;
  request.headers.insert(request.headers.end(), credential.headers.begin(),
                         credential.headers.end());
  request.identity = credential.identity;
  request.ca_pem = credential.ca_pem;
  const std::weak_ptr<Exchange> weak = weak_from_this();
  net::Handlers handlers;
  handlers.on_head = [weak](const net::ResponseHead& head) {
    if (const auto self = weak.lock()) self->on_head(head);
  };
  handlers.on_data = [weak](std::string_view piece) {
    if (const auto self = weak.lock()) self->on_data(piece);
  };
  handlers.on_done = [weak](Status status) {
    if (const auto self = weak.lock()) self->on_done(status);
  };
  handlers.on_transient = [weak](std::optional<Duration> pause) {
    const auto self = weak.lock();
    if (!self) return;
    self->attempt_.transient = true;
    self->attempt_.pause = pause;
  };
  handlers.on_unsent = [weak] {
    if (const auto self = weak.lock()) self->attempt_.unsent = true;
  };
  handlers.on_socket = [weak](net::WebSocket& socket) {
    const auto self = weak.lock();
    if (self && !self->over_ && self->handlers_.on_socket) self->handlers_.on_socket(socket);
  };
  handlers.on_drained = [weak] {
    const auto self = weak.lock();
    if (self && !self->over_ && self->handlers_.on_drained) self->handlers_.on_drained();
  };
  transfer_ = client_.transport_->start(std::move(request), std::move(handlers));
}

void Client::Exchange::on_head(const net::ResponseHead& head) {
  if (over_) return;
  attempt_.head.status = head.status;
  // Headers of a refusal may name its reason.
  if (!is_success(head.status)) attempt_.head.headers = head.headers;
  client_.report_warnings(head);
  if (!over_ && is_success(head.status) && handlers_.on_open) handlers_.on_open(head.status);
}

void Client::Exchange::on_data(std::string_view piece) {
  if (over_) return;
  if (is_success(attempt_.head.status)) {
    if (is_crowded(piece.size())) return refuse_answer(true);
    if (is_too_long(piece.size())) return refuse_answer(false);
    if (handlers_.on_data) handlers_.on_data(piece);
    return;
  }
  attempt_.refusal_body += piece.substr(0, k_refusal_limit - attempt_.refusal_body.size());
}

// A stream is not kept as a whole, so its length does not matter.
bool Client::Exchange::is_too_long(std::size_t more) {
  attempt_.received += more;
  return request_.timeout > Duration::zero() && attempt_.received > request_.answer_limit;
}

bool Client::Exchange::is_crowded(std::size_t more) const {
  if (!request_.shared_room) return false;
  std::size_t& room = *request_.shared_room;
  if (more > room) return true;
  room -= more;
  return false;
}

// Ends it on a later turn of the loop, because the transport is still inside the transfer.
void Client::Exchange::refuse_answer(bool crowded) {
  transfer_.reset();
  const Error error{
      Code::unreachable,
      cat("the answer of ", client_.server_, " is above ", request_.answer_limit >> 20, " MiB"),
      cat("is ", client_.server_, " a Kubernetes API server?")};
  const std::weak_ptr<Exchange> weak = weak_from_this();
  later_ = client_.loop_.after({}, [weak, error, crowded] {
    Failure failure{error, {}};
    failure.crowded = crowded;
    if (const auto self = weak.lock()) self->finish(std::move(failure));
  });
}

void Client::Exchange::on_done(const Status& status) {
  if (over_) return;
  if (!status) {
    Failure failure{status.error(), {}, attempt_.transient, attempt_.unsent};
    failure.refusal.retry_after = attempt_.pause;
    return finish(std::move(failure));
  }
  if (is_success(attempt_.head.status)) return finish(std::nullopt);
  if (attempt_.head.status == 401 && !replayed_ && client_.credentials_->refresh(generation_)) {
    replayed_ = true;
    // Sends again on a later turn of the loop, because the transport is still inside the first
    // transfer.
    const std::weak_ptr<Exchange> weak = weak_from_this();
    later_ = client_.loop_.after({}, [weak] {
      if (const auto self = weak.lock()) self->ask_credential();
    });
    return;
  }
  finish(Failure{api_error(call_info(), attempt_.head, attempt_.refusal_body),
                 read_refusal(request_.method, attempt_.head, attempt_.refusal_body)});
}

void Client::Exchange::finish(std::optional<Failure> failure) {
  if (std::exchange(over_, true)) return;
  if (handlers_.on_end) handlers_.on_end(std::move(failure));
}

CallInfo Client::Exchange::call_info() const {
  const Credentials& credentials = *client_.credentials_;
  return {request_.method, request_.target, credentials.description() + credentials.expiry(),
          client_.server_};
}

}  // namespace trainctl::kube
