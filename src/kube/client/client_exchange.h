// One request in progress: gets the credential, adds headers, and tries again after a 401.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/client/client.h"

namespace trainctl::kube {

class Client::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Client& client, net::Request request, StreamHandlers handlers);

  void start();
  void abandon();

 private:
  void ask_credential();
  void on_credential(Result<Credential> credential);
  void send(const Credential& credential);
  void on_head(const net::ResponseHead& head);
  void on_data(std::string_view piece);
  bool is_too_long(std::size_t more);
  bool is_crowded(std::size_t more) const;
  void refuse_answer(bool crowded);
  void on_done(const Status& status);
  void finish(std::optional<Failure> failure);
  CallInfo call_info() const;

  Client& client_;
  net::Request request_;
  StreamHandlers handlers_;
  unsigned generation_ = 0;
  bool starting_ = false;  // still inside start(): no handler may be called yet
  bool replayed_ = false;
  bool over_ = false;
  bool transient_ = false;
  bool unsent_ = false;
  std::optional<Duration> pause_;  // wait before another attempt, when the transport names it
  net::ResponseHead head_;
  std::size_t received_ = 0;  // bytes of the answer so far
  std::string refusal_body_;
  HandlePtr credential_;
  HandlePtr transfer_;
  HandlePtr later_;
};

}  // namespace trainctl::kube
