// A libcurl multi handle driven by the event loop.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <curl/curl.h>

#include "net/curl_transfer.h"

namespace trainctl::net {

class CurlLane {
 public:
  // With one connection, requests share it as HTTP/2 streams; else libcurl opens what it needs.
  CurlLane(UvLoop& loop, bool one_connection);
  ~CurlLane();
  CurlLane(const CurlLane&) = delete;
  CurlLane& operator=(const CurlLane&) = delete;

  void add(std::shared_ptr<Transfer> transfer);
  // Ends the transfer without a word, also from inside its own callbacks.
  void drop(const Transfer& transfer);
  // Removes and returns those that found no place on the connection through two calls in a row,
  // while others have one: the server takes fewer streams than we thought, or is going away.
  std::vector<std::shared_ptr<Transfer>> take_stuck();
  bool has_unsent() const;

  std::size_t size() const { return transfers_.size(); }

  bool closed = false;  // takes no more requests until it is empty

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  void open();
  void start(CURL* easy);
  void start_held(bool connected, CURL* first);
  void end(CURL* easy);
  int on_socket(curl_socket_t fd, int what);
  void on_timeout(long milliseconds);
  void act(curl_socket_t fd, int events);
  void settle();
  std::shared_ptr<Transfer> remove(CURL* easy);
  void finish(CURL* easy, CURLcode code);

  UvLoop& loop_;
  bool one_connection_;
  std::unique_ptr<CURLM, FreeMulti> multi_;
  std::unordered_map<CURL*, std::shared_ptr<Transfer>> transfers_;
  std::map<curl_socket_t, HandlePtr> sockets_;
  HandlePtr timer_;
  // The first request of a shared connection goes ahead; the others are held until the server has
  // had time to tell how many it takes. One that it refuses would wait in libcurl 7.88 for ever.
  bool limit_known_ = false;
  std::vector<CURL*> held_;
  HandlePtr settling_;
  // libcurl must not be told to add or remove handles while it calls us: done afterwards.
  bool inside_curl_ = false;
  std::vector<CURL*> to_add_;
  std::vector<CURL*> to_remove_;
};

}  // namespace trainctl::net
