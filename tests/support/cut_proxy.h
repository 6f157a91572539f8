// A TCP forwarder on the test's own loop that cuts a connection at a chosen byte.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>

#include "base/loop/loop.h"

namespace trainctl::testing {

// The number of bytes passed to the server, or of its answer passed back; when another byte comes,
// the connection is closed on both sides: properly, or towards the client by a reset.
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
  // Cuts the next connection; later ones are not cut. Forgets existing connections.
  void cut_next(Cut cut);
  // Ends the connection made since then at the next byte of an answer.
  void cut_answer_now();

  struct Passed {
    std::size_t request = 0;
    std::size_t answer = 0;
  };
  // The bytes passed by the first connection since cut_next().
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
