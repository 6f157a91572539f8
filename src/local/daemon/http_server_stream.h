// Answers that come in pieces, as libmicrohttpd sends them: a connection whose stream has nothing
// to say is suspended until it has.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include <microhttpd.h>

#include "base/loop.h"
#include "local/answer.h"

namespace trainctl::local {

class HttpStream;

// The suspended connections of one server. libmicrohttpd does not notice when the peer of one of
// them goes away, so this looks after them.
class SuspendedStreams {
 public:
  // `wake` runs the server's turn soon: it does not learn of a resumed connection by itself.
  SuspendedStreams(Loop& loop, std::function<void()> wake) : loop_(loop), wake_(std::move(wake)) {}
  void add(HttpStream& stream);
  void remove(HttpStream& stream);
  void wake() { wake_(); }
  // Ends every stream, as libmicrohttpd wants it before it stops.
  void abandon_all();
  bool stopping() const { return stopping_; }

 private:
  void look();

  Loop& loop_;
  std::function<void()> wake_;
  std::set<HttpStream*> streams_;
  HandlePtr timer_;
  bool stopping_ = false;
};

// A response that reads `stream` for as long as the peer takes it, and owns it.
MHD_Response* make_stream_response(MHD_Connection* connection, std::unique_ptr<ApiStream> stream,
                                   SuspendedStreams& suspended);

}  // namespace trainctl::local
