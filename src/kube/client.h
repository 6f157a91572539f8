// The verbs trainctl needs of the Kubernetes API, on JSON objects at paths.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "base/json.h"
#include "base/loop.h"
#include "base/result.h"
#include "kube/api_error.h"
#include "kube/backoff.h"
#include "kube/collection.h"
#include "kube/credentials.h"
#include "kube/resource.h"
#include "net/http.h"
#include "net/url.h"

namespace trainctl::kube {

// An Error and, when the server gave one, its answer's status and reason.
struct Failure {
  Error error;
  Refusal refusal;         // status 0: no answer came; it may have retry_after all the same
  bool transient = false;  // no answer came, and another attempt may get one
  bool unsent = false;     // nothing left this machine
};

struct CreateOptions {
  bool dry_run = false;  // dryRun=All
};
struct DeleteOptions {
  std::string uid;                         // only if the object still has it
  std::string propagation = "Background";  // or Foreground, Orphan
};

// Callbacks of a streamed answer. on_end comes once: `failure` is set when the server answered with
// an error or the connection broke; a clean end leaves it empty. on_open says that a 2xx arrived.
// None runs before stream() returns, and a handle may be destroyed inside any of them.
struct StreamHandlers {
  std::function<void(int status)> on_open;
  std::function<void(std::string_view)> on_data;
  std::function<void(std::optional<Failure>)> on_end;
};

class Client {
 public:
  Client(Loop& loop, std::unique_ptr<net::Transport> transport,
         std::unique_ptr<Credentials> credentials, std::string server,
         std::optional<Duration> request_timeout, std::function<void(std::string)> warn);

  Loop& loop() { return loop_; }
  const std::string& server() const { return server_; }
  // Of the requests that go on after their connection was lost.
  Spread& spread() { return spread_; }

  // --- Awaited: only from top-level code, never from a callback. ---
  Result<Json> get(const Resource& resource, std::string_view ns, std::string_view name);
  // Calls `page` with each list object in turn (500 items a page), so that memory stays bounded by
  // a page; a list that expires between pages (410) is started again from nothing once, and
  // `restart` is told first. `token`: of the page to begin with, "" = the first.
  Status list(const Resource& resource, std::string_view ns, const ListOptions& options,
              const std::function<void(Json page)>& page, const std::function<void()>& restart = {},
              std::string token = {});
  // fieldValidation=Strict always. Not repeated when the answer was lost: see Failure::refusal.
  std::variant<Json, Failure> create(const Resource& resource, std::string_view ns,
                                     const Json& object, const CreateOptions& options = {});
  Status remove(const Resource& resource, std::string_view ns, std::string_view name,
                const DeleteOptions& options = {});
  Result<Json> merge_patch(const Resource& resource, std::string_view ns, std::string_view name,
                           const Json& patch);

  // --- Started: for code that lives in callbacks. ---
  // One call with its whole answer as JSON. 401 refreshes the credential and tries once more.
  // Without a timeout of its own the call gets the client's: 60 s when none was given, no end when
  // that is 0.
  [[nodiscard]] HandlePtr fetch(net::Request request,
                                std::function<void(std::variant<Json, Failure>)> done);
  // An answer in pieces (watch, log); never limited in time, 401 as for fetch.
  [[nodiscard]] HandlePtr stream(net::Request request, StreamHandlers handlers);

 private:
  // One request with its credential, perhaps replayed.
  class Exchange;

  HandlePtr start(net::Request request, StreamHandlers handlers);
  std::variant<Json, Failure> call(net::Request request);
  void tell_warnings(const net::ResponseHead& head);

  Loop& loop_;
  std::unique_ptr<net::Transport> transport_;
  std::unique_ptr<Credentials> credentials_;
  std::string server_;
  Duration request_timeout_;  // of calls without their own
  std::function<void(std::string)> warn_;
  std::set<std::string> warned_;  // Warning: headers, each text once
  Spread spread_;
};

}  // namespace trainctl::kube
