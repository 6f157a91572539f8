// Builds the verbs' requests and interprets their answers.
#include "kube/client/client.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "kube/client/api_error.h"
#include "kube/client/collection.h"
#include "kube/client/removal.h"

namespace trainctl::kube {

// One request in progress: gets the credential, adds headers, and tries again after a 401.
class Client::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Client& client, net::Request request, StreamHandlers handlers);

  void start();
  void abandon();

 private:
  // The part of an answer that one transfer has brought so far.
  struct Attempt {
    net::ResponseHead head;
    std::size_t received = 0;  // bytes of an accepted answer
    std::string refusal_body;
    bool transient = false;         // it failed, and another attempt may succeed
    bool unsent = false;            // it failed before a byte left this machine
    std::optional<Duration> pause;  // wait before another attempt, when the transport names it
  };

  void ask_credential();
  void on_credential(Result<Credential> credential);
  void send(const Credential& credential);
  void on_head(const net::ResponseHead& head);
  void on_data(std::string_view piece);
  bool is_too_long(std::size_t more);
  bool is_crowded(std::size_t more) const;
  void refuse_answer(bool crowded);
  void on_done(const Status& status);
  void finish(std::optional<Failure> failure);
  CallInfo call_info() const;

  Client& client_;
  net::Request request_;
  StreamHandlers handlers_;
  unsigned generation_ = 0;
  bool starting_ = false;  // still inside start(): no handler may be called yet
  bool replayed_ = false;
  bool over_ = false;
  Attempt attempt_;
  HandlePtr credential_;
  HandlePtr transfer_;
  HandlePtr later_;
};

namespace {

constexpr std::size_t k_refusal_limit = std::size_t{1} << 20;

constexpr int k_switching_protocols = 101;

bool is_success(int status) {
  return (status >= 200 && status < 300) || status == k_switching_protocols;
}

bool has_header(const net::Request& request, std::string_view name) {
  return std::ranges::any_of(request.headers,
                             [name](const net::Header& header) { return header.name == name; });
}

}  // namespace

Client::Exchange::Exchange(Client& client, net::Request request, StreamHandlers handlers)
    : client_(client), request_(std::move(request)), handlers_(std::move(handlers)) {
  if (!has_header(request_, "Accept")) {
    request_.headers.push_back({"Accept", "application/json, */*"});
  }
  if (!request_.body.empty() && !has_header(request_, "Content-Type")) {
    request_.headers.push_back({"Content-Type", "application/json"});
  }
}

void Client::Exchange::start() {
  starting_ = true;
  ask_credential();
  starting_ = false;
}

void Client::Exchange::ask_credential() {
  const std::weak_ptr<Exchange> weak = weak_from_this();
  credential_ = client_.credentials_->get([weak](Result<Credential> credential) {
    if (const auto self = weak.lock()) self->on_credential(std::move(credential));
  });
}

void Client::Exchange::abandon() {
  over_ = true;
  credential_.reset();
  transfer_.reset();
  later_.reset();
}

void Client::Exchange::on_credential(Result<Credential> credential) {
  if (over_) return;
  if (credential) return send(*credential);
  if (!starting_) return finish(Failure{credential.error(), {}});
  const std::weak_ptr<Exchange> weak = weak_from_this();
  later_ = client_.loop_.after({}, [weak, error = credential.error()] {
    if (const auto self = weak.lock()) self->finish(Failure{error, {}});
  });
}

void Client::Exchange::send(const Credential& credential) {
  generation_ = credential.generation;
  attempt_ = {};
  net::Request request = request_;
  request.headers.insert(request.headers.end(), credential.headers.begin(),
                         credential.headers.end());
  request.identity = credential.identity;
  request.ca_pem = credential.ca_pem;
  const std::weak_ptr<Exchange> weak = weak_from_this();
  net::Handlers handlers;
  handlers.on_head = [weak](const net::ResponseHead& head) {
    if (const auto self = weak.lock()) self->on_head(head);
  };
  handlers.on_data = [weak](std::string_view piece) {
    if (const auto self = weak.lock()) self->on_data(piece);
  };
  handlers.on_done = [weak](Status status) {
    if (const auto self = weak.lock()) self->on_done(status);
  };
  handlers.on_transient = [weak](std::optional<Duration> pause) {
    const auto self = weak.lock();
    if (!self) return;
    self->attempt_.transient = true;
    self->attempt_.pause = pause;
  };
  handlers.on_unsent = [weak] {
    if (const auto self = weak.lock()) self->attempt_.unsent = true;
  };
  handlers.on_socket = [weak](net::WebSocket& socket) {
    const auto self = weak.lock();
    if (self && !self->over_ && self->handlers_.on_socket) self->handlers_.on_socket(socket);
  };
  handlers.on_drained = [weak] {
    const auto self = weak.lock();
    if (self && !self->over_ && self->handlers_.on_drained) self->handlers_.on_drained();
  };
  transfer_ = client_.transport_->start(std::move(request), std::move(handlers));
}

void Client::Exchange::on_head(const net::ResponseHead& head) {
  if (over_) return;
  attempt_.head.status = head.status;
  // Headers of a refusal may name its reason.
  if (!is_success(head.status)) attempt_.head.headers = head.headers;
  client_.report_warnings(head);
  if (!over_ && is_success(head.status) && handlers_.on_open) handlers_.on_open(head.status);
}

void Client::Exchange::on_data(std::string_view piece) {
  if (over_) return;
  if (is_success(attempt_.head.status)) {
    if (is_crowded(piece.size())) return refuse_answer(true);
    if (is_too_long(piece.size())) return refuse_answer(false);
    if (handlers_.on_data) handlers_.on_data(piece);
    return;
  }
  attempt_.refusal_body += piece.substr(0, k_refusal_limit - attempt_.refusal_body.size());
}

// A stream is not kept as a whole, so its length does not matter.
bool Client::Exchange::is_too_long(std::size_t more) {
  attempt_.received += more;
  return request_.timeout > Duration::zero() && attempt_.received > request_.answer_limit;
}

bool Client::Exchange::is_crowded(std::size_t more) const {
  if (!request_.shared_room) return false;
  std::size_t& room = *request_.shared_room;
  if (more > room) return true;
  room -= more;
  return false;
}

// Ends it on a later turn of the loop, because the transport is still inside the transfer.
void Client::Exchange::refuse_answer(bool crowded) {
  transfer_.reset();
  const Error error{
      Code::unreachable,
      cat("the answer of ", client_.server_, " is above ", request_.answer_limit >> 20, " MiB"),
      cat("is ", client_.server_, " a Kubernetes API server?")};
  const std::weak_ptr<Exchange> weak = weak_from_this();
  later_ = client_.loop_.after({}, [weak, error, crowded] {
    Failure failure{error, {}};
    failure.crowded = crowded;
    if (const auto self = weak.lock()) self->finish(std::move(failure));
  });
}

void Client::Exchange::on_done(const Status& status) {
  if (over_) return;
  if (!status) {
    Failure failure{status.error(), {}, attempt_.transient, attempt_.unsent};
    failure.refusal.retry_after = attempt_.pause;
    return finish(std::move(failure));
  }
  if (is_success(attempt_.head.status)) return finish(std::nullopt);
  if (attempt_.head.status == 401 && !replayed_ && client_.credentials_->refresh(generation_)) {
    replayed_ = true;
    // Sends again on a later turn of the loop, because the transport is still inside the first
    // transfer.
    const std::weak_ptr<Exchange> weak = weak_from_this();
    later_ = client_.loop_.after({}, [weak] {
      if (const auto self = weak.lock()) self->ask_credential();
    });
    return;
  }
  finish(Failure{api_error(call_info(), attempt_.head, attempt_.refusal_body),
                 read_refusal(request_.method, attempt_.head, attempt_.refusal_body)});
}

void Client::Exchange::finish(std::optional<Failure> failure) {
  if (std::exchange(over_, true)) return;
  if (handlers_.on_end) handlers_.on_end(std::move(failure));
}

CallInfo Client::Exchange::call_info() const {
  const Credentials& credentials = *client_.credentials_;
  return {request_.method, request_.target, credentials.description() + credentials.expiry(),
          client_.server_};
}

namespace {

void skip_blanks(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
}

std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t,"));
  rest.remove_prefix(word.size());
  skip_blanks(rest);
  return word;
}

std::optional<std::string> take_quoted(std::string_view& rest) {
  if (rest.empty() || rest.front() != '"') return std::nullopt;
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      rest.remove_prefix(at + 1);
      skip_blanks(rest);
      return text;
    }
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    text += rest[at];
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> warning_texts(std::string_view rest) {
  std::vector<std::string> texts;
  while (true) {
    skip_blanks(rest);
    if (rest.empty()) return texts;
    const std::string_view code = take_word(rest);
    const bool has_agent = !take_word(rest).empty();
    const std::optional<std::string> text = take_quoted(rest);
    if (code.size() != 3 || !has_agent || !text) return texts;
    take_quoted(rest);  // the date
    if (code == "299" && is_utf8(*text)) {
      const std::string line = printable_line(*text);
      if (!trim(line).empty()) texts.emplace_back(trim(line));
    }
    if (!rest.empty() && rest.front() != ',') return texts;
    if (!rest.empty()) rest.remove_prefix(1);
  }
}

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

// The request behind Client::merge_patch, for fetch().
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

}  // namespace

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
    const Error& ended = *limit_->reached();
    Failure unsent{is_failing() ? unanswered(ended) : ended, {}};
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
  if (ended.code == Code::timeout && is_failing()) {
    ended.code = Code::unreachable;
    ended.hint = "trainctl whoami shows which cluster is asked";
  }
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
    const bool is_fault = failed != nullptr && failed->error.code == Code::unreachable;
    note_fault(is_fault ? failed->error.message : "");
    if (!is_fault) has_answered_ = true;
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
