// Builds the verbs' requests and interprets their answers.
#include "kube/client/client.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "kube/client/abandon_handle.h"
#include "kube/client/answer_json.h"
#include "kube/client/client_exchange.h"
#include "kube/client/pages.h"
#include "kube/client/removal.h"
#include "kube/client/warning.h"

namespace trainctl::kube {

namespace {

constexpr Duration k_default_timeout = std::chrono::seconds(60);

using Answer = std::variant<Json, Failure>;

Duration call_limit(std::optional<Duration> given) {
  const Duration limit = given.value_or(k_default_timeout);
  return limit == Duration::zero() ? net::k_no_timeout : limit;
}

Answer failure(Error error) {
  return Failure{std::move(error), {}};
}

Answer read_object(const CallInfo& call, std::string_view body) {
  const Error odd{Code::unreachable, "", cat("is ", call.server, " a Kubernetes API server?")};
  if (trim(body).empty()) {
    return failure(Error{odd.code, cat("the answer of ", call.server, " is empty"), odd.hint});
  }
  Result<Json> object = parse_answer(body, cat("the answer of ", call.server));
  if (!object) return failure(Error{odd.code, object.error().message, odd.hint});
  if (is_failure(*object)) return Failure{status_error(call, *object), read_status(*object)};
  return *std::move(object);
}

}  // namespace

Result<net::Request> merge_patch_request(const Resource& resource, std::string_view ns,
                                         std::string_view name, const Json& patch) {
  TRY_ASSIGN(std::string path, object_path(resource, ns, name));
  net::Request request;
  request.method = "PATCH";
  request.target = net::with_query(std::move(path), write_query());
  request.headers.push_back({"Content-Type", "application/merge-patch+json"});
  request.body = dump(patch);
  return request;
}

Client::Client(Loop& loop, std::unique_ptr<net::Transport> transport,
               std::unique_ptr<Credentials> credentials, std::string server,
               std::optional<Duration> request_timeout, std::function<void(std::string)> warn)
    : loop_(loop),
      transport_(std::move(transport)),
      credentials_(std::move(credentials)),
      server_(std::move(server)),
      request_timeout_(call_limit(request_timeout)),
      warn_(std::move(warn)) {}

Result<Json> Client::get(const Resource& resource, std::string_view ns, std::string_view name) {
  net::Request request;
  TRY_ASSIGN(request.target, object_path(resource, ns, name));
  Answer answer = call(std::move(request));
  if (Failure* refused = std::get_if<Failure>(&answer)) return std::move(refused->error);
  return std::get<Json>(std::move(answer));
}

Status Client::list(const Resource& resource, std::string_view ns, const ListOptions& options,
                    const std::function<void(Json page)>& page,
                    const std::function<void()>& restart, std::string token) {
  bool restarted = false;
  Pages pages(options.together);
  if (!token.empty()) TRY(pages.follow(token));
  while (true) {
    TRY_ASSIGN(net::Request request, list_request(resource, ns, options, token));
    Answer answer = call(std::move(request));
    if (Failure* refused = std::get_if<Failure>(&answer)) {
      const bool expired = refused->refusal.status == 410 && !token.empty();
      if (!expired || restarted) return std::move(refused->error);
      restarted = true;
      token.clear();
      pages.restart();
      if (restart) restart();
      continue;
    }
    Json& listed = std::get<Json>(answer);
    TRY_ASSIGN(token, pages.token_behind(listed));
    page(std::move(listed));
    if (token.empty()) return {};
  }
}

std::variant<Json, Failure> Client::create(const Resource& resource, std::string_view ns,
                                           const Json& object, const CreateOptions& options) {
  Result<net::Request> request = create_request(resource, ns, object, options);
  if (!request) return failure(std::move(request).error());
  return call(*std::move(request));
}

Status Client::remove(const Resource& resource, std::string_view ns, std::string_view name,
                      const DeleteOptions& options) {
  TRY_ASSIGN(net::Request request, delete_request(resource, ns, name, options));
  Answer answer = call(std::move(request));
  if (Failure* refused = std::get_if<Failure>(&answer)) return std::move(refused->error);
  return {};
}

Result<Json> Client::merge_patch(const Resource& resource, std::string_view ns,
                                 std::string_view name, const Json& patch) {
  TRY_ASSIGN(net::Request request, merge_patch_request(resource, ns, name, patch));
  Answer answer = call(std::move(request));
  if (Failure* refused = std::get_if<Failure>(&answer)) return std::move(refused->error);
  return std::get<Json>(std::move(answer));
}

std::variant<Json, Failure> Client::call(net::Request request) {
  if (limit_ != nullptr && limit_->reached()) {
    Failure unsent{*limit_->reached(), {}};
    unsent.unsent = true;
    return unsent;
  }
  std::optional<Answer> answer;
  const HandlePtr handle =
      fetch(std::move(request), [&answer](Answer given) { answer = std::move(given); });
  if (Status ended = run_until([&answer] { return answer.has_value(); }); !ended) {
    return failure(unanswered(std::move(ended).error()));
  }
  return *std::move(answer);
}

Error Client::unanswered(Error ended) const {
  ended.message += last_fault_.empty() ? cat("; ", server_, " has not answered")
                                       : cat("; the last failure: ", last_fault_);
  return ended;
}

Status Client::run_until(const std::function<bool()>& done) {
  if (limit_ != nullptr) return limit_->run_until(done);
  // From the first listener on, a signal no longer kills the process, so every wait must watch.
  if (loop_.known_ending_signals() != nullptr) return WaitLimit(loop_, {}).run_until(done);
  loop_.run_until(done);
  return {};
}

Status Client::pause(Duration time) {
  bool over = false;
  const HandlePtr timer = loop_.after(time, [&over] { over = true; });
  return run_until([&over] { return over; });
}

HandlePtr Client::fetch(net::Request request,
                        std::function<void(std::variant<Json, Failure>)> done) {
  const bool has_own = request.timeout != Duration::zero();
  request.timeout = has_own ? std::min(request.timeout, request_timeout_) : request_timeout_;
  const CallInfo call{request.method, request.target, credentials_->description(), server_};
  const auto body = std::make_shared<std::string>();
  StreamHandlers handlers;
  handlers.on_data = [body](std::string_view piece) { *body += piece; };
  handlers.on_end = [this, body, call, done = std::move(done)](std::optional<Failure> refused) {
    Answer answer = refused ? Answer(*std::move(refused)) : read_object(call, *body);
    const Failure* failed = std::get_if<Failure>(&answer);
    note_fault(failed != nullptr && failed->error.code == Code::unreachable ? failed->error.message
                                                                            : "");
    done(std::move(answer));
  };
  return start(std::move(request), std::move(handlers));
}

HandlePtr Client::stream(net::Request request, StreamHandlers handlers) {
  request.timeout = {};
  return start(std::move(request), std::move(handlers));
}

HandlePtr Client::start(net::Request request, StreamHandlers handlers) {
  auto exchange = std::make_shared<Exchange>(*this, std::move(request), std::move(handlers));
  exchange->start();
  return std::make_unique<AbandonHandle<Exchange>>(std::move(exchange));
}

void Client::report_warnings(const net::ResponseHead& head) {
  for (const net::Header& header : head.headers) {
    if (lower(header.name) != "warning") continue;
    for (std::string& text : warning_texts(header.value)) {
      if (warned_.insert(text).second && warn_) warn_(std::move(text));
    }
  }
}

}  // namespace trainctl::kube
