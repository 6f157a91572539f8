// A libcurl multi handle driven by the event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <curl/curl.h>

#include "base/loop/loop.h"
#include "net/curl_transfer.h"

namespace trainctl::net {

// Works around libcurl 7.88 to read the streams of a connection cheaply and to their end.
struct LaneReadingHandlers {
  std::function<void()> on_read_on;  // there is more to read; libcurl is to be called again
  // Called to make the server send something, because the ends of streams may be hidden.
  std::function<void()> on_hidden_end;
};

class LaneReading {
 public:
  using Transfers = std::unordered_map<CURL*, std::shared_ptr<Transfer>>;

  LaneReading(Loop& loop, LaneReadingHandlers handlers);

  // When a socket is readable, libcurl 7.88 looks at all its streams in turn, which with a hundred
  // streams costs many times what handling a line does. Whichever stream reads first takes all data
  // and wakes the streams it is for, so one stream is made to read. Returns false when all streams
  // must be looked at, which also happens now and then to find what this may have missed.
  bool ask_one_to_read(const Transfers& transfers);

  // A transfer over HTTP/2 received a piece of its answer. `may_leave_something`: perhaps not all
  // that has arrived; `ends`: its end may be hidden behind what was left.
  void on_chunk(CURL* easy, bool may_leave_something, bool ends);
  // Runs each stream that may have unread bytes again until nothing comes any more.
  void read_to_the_end(CURLM* multi);

  // The transfer is over.
  void forget(CURL* easy);

 private:
  CURL* choose_reader(const Transfers& transfers);
  void look_for_hidden_ends();

  Loop& loop_;
  LaneReadingHandlers handlers_;
  CURL* reader_ = nullptr;  // the transfer that reads for all
  int reads_ = 0;
  std::vector<CURL*> left_something_;
  bool reading_to_the_end_ = false;
  HandlePtr read_on_;
  std::vector<CURL*> may_hide_its_end_;
  HandlePtr hidden_end_;
};

// Decides when a silent connection is probed, and when it is given up. TCP detects a dead path when
// packets are not acknowledged. A proxy or load balancer that acknowledges packets and forwards
// nothing is detected only by a request that must be answered.
class LaneHeartbeat {
 public:
  struct Times {
    Duration silence;   // how long it may be silent before it is probed
    Duration patience;  // how long to wait for an answer or any other data
  };
  struct Actions {
    std::function<void()> ask;
    // Ends the probe. Returns false when it was never sent, as on a connection that is full or
    // closing: then its silence proves nothing.
    std::function<bool()> end_question;
    std::function<void()> give_up;  // the connection is dead; may call end()
  };
  LaneHeartbeat(Loop& loop, Times times, Actions actions);

  void begin();  // a first request has started
  void end();    // the last request has ended
  void heard();  // data has arrived

 private:
  void listen();
  void ask_if_silent();
  void judge();

  Loop& loop_;
  Times times_;
  Actions actions_;
  Time heard_at_{};
  bool unanswered_ = false;
  HandlePtr timer_;
};

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
  void on_chunk(const Transfer& transfer, bool may_leave_something);

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
