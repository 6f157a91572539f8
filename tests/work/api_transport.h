// A transport to the embedded API server in this process, one of whose answers goes wrong.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "local/api/api_server.h"
#include "net/http.h"

namespace trainctl::testing {

// The fault of a request.
enum class Fault {
  none,
  refused,      // no connection: the server never sees it
  answer_lost,  // the server acts on it, and its answer never arrives
  forbidden,    // the server refuses it with 403
};

class ApiTransport : public net::Transport {
 public:
  // `fault_of` is asked for each request, counted from 0.
  ApiTransport(ApiServer& server, std::function<Fault(int number)> fault_of)
      : server_(server), fault_of_(std::move(fault_of)) {}

  HandlePtr start(net::Request request, net::Handlers handlers) override {
    const Fault fault = fault_of_(requests_++);
    return server_.loop.after(
        {}, [this, fault, request = std::move(request), handlers = std::move(handlers)] {
          if (fault == Fault::refused) return fail(handlers, true);
          local::ApiAnswer answer = fault == Fault::forbidden ? forbidden() : answer_to(request);
          if (fault == Fault::answer_lost) return fail(handlers, false);
          net::ResponseHead head{answer.code, answer.headers};
          head.headers.push_back({"Content-Type", answer.content_type});
          handlers.on_head(head);
          handlers.on_data(answer.body);
          handlers.on_done({});
        });
  }

  int requests() const { return requests_; }

 private:
  static void fail(const net::Handlers& handlers, bool unsent) {
    if (handlers.on_transient) handlers.on_transient(std::nullopt);
    if (unsent && handlers.on_unsent) handlers.on_unsent();
    handlers.on_done(Error{Code::unreachable, "the connection was lost", ""});
  }

  static local::ApiAnswer forbidden() {
    local::ApiAnswer answer;
    answer.code = 403;
    answer.body = dump(Json{{"kind", "Status"},
                            {"status", "Failure"},
                            {"code", 403},
                            {"reason", "Forbidden"},
                            {"message", "this is forbidden"}});
    return answer;
  }

  local::ApiAnswer answer_to(const net::Request& request) {
    std::string type = "application/json";
    for (const net::Header& header : request.headers) {
      if (header.name == "Content-Type") type = header.value;
    }
    return server_.send(request.method, request.target, request.body, type);
  }

  ApiServer& server_;
  std::function<Fault(int)> fault_of_;
  int requests_ = 0;
};

}  // namespace trainctl::testing
