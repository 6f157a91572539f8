// Bytes over a connection that libcurl has established and keeps.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/curl_transfer.h"

namespace trainctl::net {

// The connection of a transfer whose on_connection was called; it stays in its lane meanwhile.
class CurlPipe {
 public:
  // Handlers may destroy the pipe's owner: through `keep`, it lives until they have returned.
  struct Handlers {
    std::function<void(std::string_view)> on_bytes;
    std::function<void()> on_drained;
    std::function<void()> on_end;  // reading or sending has become impossible
  };
  CurlPipe(UvLoop& loop, std::shared_ptr<Transfer> transfer, std::weak_ptr<void> keep,
           Handlers handlers);

  // Sends at once what the system takes; the rest waits.
  void send(std::string bytes);
  std::size_t waiting() const { return sending_.size() - sent_ + staged_.size(); }
  // While paused, nothing is read.
  void pause(bool paused);
  bool is_paused() const { return paused_; }
  // No handler is called any more.
  void stop();

 private:
  CURL* easy() const { return transfer_->easy(); }
  std::function<void()> kept(void (CurlPipe::*act)());
  void watch();
  void on_ready(bool readable, bool writable);
  void read();
  bool write();
  void end_later();

  UvLoop& loop_;
  std::shared_ptr<Transfer> transfer_;
  std::weak_ptr<void> keep_;
  Handlers handlers_;
  // OpenSSL wants a write that it could not finish repeated with the same bytes at the same place,
  // so the bytes being sent stay in place, and later bytes wait in a second buffer.
  std::string sending_, staged_;
  std::size_t sent_ = 0;
  bool paused_ = false;
  bool over_ = false;
  int watched_ = 0;  // what the present watch is for
  HandlePtr watch_, again_, end_;
};

}  // namespace trainctl::net
