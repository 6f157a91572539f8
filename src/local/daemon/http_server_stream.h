// Streams answers with libmicrohttpd: a connection whose stream has no data is suspended until it
// has.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include <microhttpd.h>

#include "base/loop/loop.h"
#include "local/answer.h"

namespace trainctl::local {

class HttpStream;

// The suspended connections of one server. libmicrohttpd does not notice when the peer of a
// suspended connection goes away, so this class does.
class SuspendedStreams {
 public:
  // `wake` makes the server run soon, because it does not notice a resumed connection by itself.
  SuspendedStreams(Loop& loop, std::function<void()> wake) : loop_(loop), wake_(std::move(wake)) {}
  void add(HttpStream& stream);
  void remove(HttpStream& stream);
  void wake() { wake_(); }
  // Ends every stream, which libmicrohttpd requires before it stops.
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

// A response that owns `stream` and reads it for as long as the peer accepts data.
MHD_Response* make_stream_response(MHD_Connection* connection, std::unique_ptr<ApiStream> stream,
                                   SuspendedStreams& suspended);

}  // namespace trainctl::local
