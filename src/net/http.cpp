// Looks up headers, and collects a whole answer.
#include "net/http.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl::net {
namespace {

// A request whose answer is being collected. Its handlers capture `this`, which is safe because
// they run only while request_ lives.
class Collection : public Handle {
 public:
  Collection(std::function<void(Result<Response>)> done, std::size_t limit)
      : done_(std::move(done)), limit_(limit) {}

  void start(Transport& transport, Request request) {
    Handlers handlers;
    handlers.on_head = [this](const ResponseHead& head) { response_.head = head; };
    handlers.on_data = [this](std::string_view piece) { take(piece); };
    handlers.on_done = [this](Status status) {
      if (!status) return finish(std::move(status).error());
      finish(std::move(response_));
    };
    request_ = transport.start(std::move(request), std::move(handlers));
  }

 private:
  void take(std::string_view piece) {
    if (response_.body.size() + piece.size() > limit_) {
      finish(Error{Code::error, cat("the answer is longer than ", limit_, " bytes"), ""});
      return;
    }
    response_.body += piece;
  }
  // The callback may destroy this object.
  void finish(Result<Response> result) {
    request_.reset();
    const auto done = std::move(done_);
    done(std::move(result));
  }

  std::function<void(Result<Response>)> done_;
  std::size_t limit_;
  Response response_;
  HandlePtr request_;
};

}  // namespace

std::string ResponseHead::header(std::string_view name) const {
  const std::string wanted = lower(name);
  for (const Header& header : headers) {
    if (lower(header.name) == wanted) return header.value;
  }
  return "";
}

HandlePtr collect(Transport& transport, Request request, std::function<void(Result<Response>)> done,
                  std::size_t limit) {
  auto collection = std::make_unique<Collection>(std::move(done), limit);
  collection->start(transport, std::move(request));
  return collection;
}

}  // namespace trainctl::net
