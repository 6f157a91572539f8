// A TCP forwarder on the test's own loop that cuts a connection at a chosen byte.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>

#include "base/loop.h"

namespace trainctl::testing {

// So many bytes are passed towards the server, or so many of its answer; when another comes, the
// connection is closed on both sides: properly, or to the client by a reset.
struct Cut {
  std::optional<std::size_t> request;
  std::optional<std::size_t> answer;
  bool reset = false;
};

class CutProxy {
 public:
  CutProxy(UvLoop& loop, int server_port);
  ~CutProxy();
  CutProxy(const CutProxy&) = delete;
  CutProxy& operator=(const CutProxy&) = delete;

  int port() const { return port_; }
  // For the next connection; those behind it are left alone. Forgets the connections there are.
  void cut_next(Cut cut);
  // The connection made since then ends at the next byte of an answer.
  void cut_answer_now();

  struct Passed {
    std::size_t request = 0;
    std::size_t answer = 0;
  };
  // By the first connection since cut_next(), as long as it was.
  Passed passed() const;

 private:
  class Link;

  void accept_one();

  UvLoop& loop_;
  int server_port_;
  int listener_ = -1;
  int port_ = 0;
  Cut cut_;
  std::list<std::unique_ptr<Link>> links_;
  HandlePtr listening_;
};

}  // namespace trainctl::testing
