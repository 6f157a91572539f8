// A libcurl multi handle driven by the event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <curl/curl.h>

#include "net/curl_transfer.h"
#include "net/lane_heartbeat.h"
#include "net/lane_reading.h"

namespace trainctl::net {

// The way in which the requests of a lane share connections.
enum class Sharing {
  one,       // all requests are streams of one HTTP/2 connection
  possible,  // requests with the same certificates share a connection that has room
  none       // each request has its own connection
};

class CurlLane {
 public:
  CurlLane(UvLoop& loop, const CurlSettings& settings, Learned& learned, Sharing sharing);
  ~CurlLane();
  CurlLane(const CurlLane&) = delete;
  CurlLane& operator=(const CurlLane&) = delete;

  void add(std::shared_ptr<Transfer> transfer);
  // Ends the transfer without calling its handlers; may be called from inside them.
  void drop(const Transfer& transfer);
  // Removes and returns the transfers that got no place on the connection through two calls in a
  // row while others have one: the server accepts fewer streams than assumed, or is going away.
  std::vector<std::shared_ptr<Transfer>> take_stuck();
  bool has_unsent() const;
  // A transfer was given a place on a connection.
  void count_place();
  // A transfer received a piece of its answer, perhaps not all that has arrived.
  void note_piece(const Transfer& transfer, bool may_leave_something);

  std::size_t size() const { return transfers_.size(); }

  bool closed = false;  // accepts no requests until it is empty

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  void open();
  void start(CURL* easy);
  void await_limit(bool connected, CURL* first);
  void start_held();
  void end(CURL* easy);
  int on_socket(curl_socket_t fd, int what);
  void on_timeout(long milliseconds);
  void act(curl_socket_t fd, int events);
  void set_timer();
  void settle();
  std::shared_ptr<Transfer> remove(CURL* easy);
  void finish(CURL* easy, CURLcode code);
  void ask_for_sign_of_life();
  bool end_question();
  void give_up();
  void renew(const std::function<void(Transfer&)>& end);

  UvLoop& loop_;
  const CurlSettings& settings_;
  Learned& learned_;
  bool one_connection_;
  bool shares_;
  std::unique_ptr<CURLM, FreeMulti> multi_;
  LaneReading::Transfers transfers_;
  std::map<curl_socket_t, HandlePtr> sockets_;
  HandlePtr timer_;
  std::optional<long> timeout_;  // milliseconds; requested by libcurl, not yet set in timer_
  LaneReading reading_;
  // The first request of a shared connection goes ahead. The others are held until the server has
  // had time to announce how many it accepts, unless it was seen to accept as many, because one
  // that it refuses would wait in libcurl 7.88 for ever.
  bool limit_known_ = false;
  std::size_t placed_ = 0;  // transfers with a place
  std::vector<CURL*> held_;
  HandlePtr settling_;
  LaneHeartbeat heartbeat_;
  std::shared_ptr<Transfer> question_;  // the heartbeat's request; not in transfers_
  std::optional<CURLcode> lost_;        // how the connection ended
  // libcurl does not allow handles to be added or removed while it calls us, so that is done
  // afterwards.
  bool inside_curl_ = false;
  std::vector<CURL*> to_add_;
  std::vector<CURL*> to_remove_;
};

}  // namespace trainctl::net
