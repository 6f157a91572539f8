// The verbs of the Kubernetes API that trainctl needs, on JSON objects at paths.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/loop/loop.h"
#include "base/loop/wait_limit.h"
#include "base/result.h"
#include "base/value/json.h"
#include "kube/auth/credentials.h"
#include "kube/client/api_error.h"
#include "kube/client/backoff.h"
#include "kube/client/collection.h"
#include "kube/client/resource.h"
#include "net/http.h"
#include "net/url.h"

namespace trainctl::kube {

using net::Lane;  // which connections carry a request

// An Error and, when the server answered, the status and reason of its answer.
struct Failure {
  Error error;
  Refusal refusal;         // status 0: no answer came, but retry_after may be set
  bool transient = false;  // no answer came, and another attempt may succeed
  bool unsent = false;     // no byte left this machine
  bool crowded = false;    // no room was left for its answer beside others (Request::shared_room)
};

struct DeleteOptions {
  std::string uid;           // delete only if the object still has this uid
  std::string version = {};  // delete only if its resourceVersion is still this
};

// Callbacks of a streamed answer. on_open reports a 2xx status. on_end comes once: with a `failure`
// when the server answered with an error or the connection broke, without one after a clean end.
// None runs before stream() returns, and a handle may be destroyed inside any of them. The last two
// are those of net::Handlers, for a request that is upgraded to a WebSocket.
struct StreamHandlers {
  std::function<void(int status)> on_open;
  std::function<void(std::string_view)> on_data;
  std::function<void(std::optional<Failure>)> on_end;
  std::function<void(net::WebSocket&)> on_socket = {};
  std::function<void()> on_drained = {};
};

class Client {
 public:
  Client(Loop& loop, std::unique_ptr<net::Transport> transport,
         std::unique_ptr<Credentials> credentials, std::string server,
         std::optional<Duration> request_timeout, std::function<void(std::string)> warn);

  Loop& loop() { return loop_; }
  const std::string& server() const { return server_; }
  // Spreads the requests that resume after their connection was lost.
  Spread& spread() { return spread_; }

  // --- Awaited: only from top-level code, never from a callback. ---
  // Ends all waiting once it is reached, with its error; nullptr = no limit.
  void set_limit(WaitLimit* limit) { limit_ = limit; }
  // Runs the loop until done() is true, or until the limit is reached: its error.
  Status run_until(const std::function<bool()>& done);
  // Waits for this long, within the limit.
  Status pause(Duration time);
  // For an answer that did not come in time: adds to the error of run_until the server's last
  // failure, or that the server has not answered. A time limit then says nothing about what was
  // asked for, where is_failing(): Code::unreachable.
  Error unanswered(Error ended) const;
  // The last contact has failed, or there was none yet.
  bool is_failing() const { return !last_fault_.empty() || !has_answered_; }
  // Records why the server's last answer was of no use, for unanswered(); the next good answer
  // clears the reason.
  void note_fault(std::string reason) { last_fault_ = std::move(reason); }
  Result<Json> get(const Resource& resource, std::string_view ns, std::string_view name);
  // Calls `page` with each list object in turn (500 items a page), so that memory stays bounded by
  // a page. A list that expires between pages (410) is started again from the beginning once, after
  // a call of `restart`. `token` selects the first page, "" = the beginning.
  Status list(const Resource& resource, std::string_view ns, const ListOptions& options,
              const std::function<void(Json page)>& page, const std::function<void()>& restart = {},
              std::string token = {});
  // Always sends fieldValidation=Strict. The request is not repeated when its answer is lost: then
  // Failure::refusal has the status 0.
  std::variant<Json, Failure> create(const Resource& resource, std::string_view ns,
                                     const Json& object, const CreateOptions& options = {});
  Status remove(const Resource& resource, std::string_view ns, std::string_view name,
                const DeleteOptions& options = {});
  Result<Json> merge_patch(const Resource& resource, std::string_view ns, std::string_view name,
                           const Json& patch);
  // Any other call whose answer is JSON.
  std::variant<Json, Failure> call(net::Request request);

  // --- Started: for code that lives in callbacks. ---
  // Makes one call and returns its whole answer as JSON. A 401 refreshes the credential and repeats
  // the call once. Without a timeout of its own the call gets the client's: 60 s by default,
  // unlimited when that is 0.
  [[nodiscard]] HandlePtr fetch(net::Request request,
                                std::function<void(std::variant<Json, Failure>)> done);
  // Delivers an answer in pieces (watch, log), without a time limit; a 401 is handled as in fetch.
  [[nodiscard]] HandlePtr stream(net::Request request, StreamHandlers handlers);

 private:
  // One request with its credential, repeated once after a 401.
  class Exchange;

  HandlePtr start(net::Request request, StreamHandlers handlers);
  void report_warnings(const net::ResponseHead& head);

  Loop& loop_;
  std::unique_ptr<net::Transport> transport_;
  std::unique_ptr<Credentials> credentials_;
  std::string server_;
  Duration request_timeout_;  // of calls without a timeout of their own
  std::function<void(std::string)> warn_;
  std::set<std::string> warned_;  // Warning: headers, each text once
  Spread spread_;
  std::string last_fault_;     // "" = the last answer was good, or there was none
  bool has_answered_ = false;  // what was asked for, or why not
  WaitLimit* limit_ = nullptr;
};

// The texts of the 299 warnings in a header's value (`299 - "text" "date", …`), made printable.
// Other codes, and everything behind a malformed warning, are omitted.
std::vector<std::string> warning_texts(std::string_view header_value);

// A Handle on something that callbacks keep alive: destroying it abandons the work.
template <typename Work>
class AbandonHandle : public Handle {
 public:
  explicit AbandonHandle(std::shared_ptr<Work> work) : work_(std::move(work)) {}
  ~AbandonHandle() override { work_->abandon(); }

 private:
  std::shared_ptr<Work> work_;
};

}  // namespace trainctl::kube
