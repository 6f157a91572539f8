// A scripted server: a list of expected requests with their answers, as data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop/loop.h"
#include "base/value/json.h"
#include "net/http.h"
#include "support/fake_socket.h"
#include "support/named_objects.h"

namespace trainctl::testing {

// One expected request and its answer. Exchanges are matched in any order by method, path and the
// query parameters named; each is used once unless `repeat`. Of several that match, the first
// unused.
struct Exchange {
  std::string method = "GET";
  std::string path;                                        // without query
  std::vector<std::pair<std::string, std::string>> query;  // decoded; each must be present
  std::optional<Json> body;  // must be a subset of the request's JSON body
  bool repeat = false;

  int status = 200;
  std::vector<net::Header> headers;
  // The answer in pieces, each sent after a wait. A plain reply is one chunk without wait.
  struct Chunk {
    Duration after{};
    std::string data;
    bool stamped = false;  // put the loop's time in front, as the server does for log lines
  };
  std::vector<Chunk> chunks;
  SocketScript socket;  // instead of chunks, for a request that is upgraded
  // How the answer ends, `ends_after` behind the last chunk: "" = cleanly; "refused" = no
  // connection; "reset" = connection lost, before any answer when there are no chunks; "never" =
  // stays open until abandoned; "unanswered" = the same, without even a status.
  std::string ending;
  Duration ends_after{};
  std::optional<Duration> pause;  // requested by the transport after "refused" and "reset"
};

// Reads a list of exchanges (tests/cases/README.md describes the fields).
Result<std::vector<Exchange>> read_exchanges(std::string_view yaml, std::string_view name);
// The same of a list that may refer to the objects.
Result<std::vector<Exchange>> read_exchanges(const Json& list, std::string_view name,
                                             const NamedObjects& objects);

// An unscripted watch is answered and stays open silently; any other unscripted request is a
// complaint and gets a 404.
class FakeTransport : public net::Transport {
 public:
  FakeTransport(Loop& loop, std::vector<Exchange> exchanges);
  ~FakeTransport() override;
  HandlePtr start(net::Request request, net::Handlers handlers) override;

  // The faults, one line each: "unexpected GET /…; still expected: …" for unscripted requests,
  // "never requested: …" for unused exchanges (`repeat` ones may stay unused). Empty when all is
  // well.
  std::vector<std::string> complaints() const;
  std::vector<net::Request> seen;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace trainctl::testing
