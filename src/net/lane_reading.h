// Works around libcurl 7.88 to read the streams of a connection cheaply and to their end.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include <curl/curl.h>

#include "base/loop/loop.h"
#include "net/curl_transfer.h"

namespace trainctl::net {

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
  void note_piece(CURL* easy, bool may_leave_something, bool ends);
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

}  // namespace trainctl::net
