// One request in progress: gets the credential, adds headers, and tries again after a 401.
#pragma once

#include <memory>
#include <optional>
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
  // The part of an answer that one transfer has brought so far.
  struct Attempt {
    net::ResponseHead head;
    std::size_t received = 0;  // bytes of an accepted answer
    std::string refusal_body;
    bool transient = false;         // it failed, and another attempt may succeed
    bool unsent = false;            // it failed before a byte left this machine
    std::optional<Duration> pause;  // wait before another attempt, when the transport names it
  };

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
  Attempt attempt_;
  HandlePtr credential_;
  HandlePtr transfer_;
  HandlePtr later_;
};

}  // namespace trainctl::kube
