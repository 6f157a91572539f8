// Looks up headers, and collects a whole answer.
#include "net/http.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl::net {
namespace {

constexpr const char* k_files[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch, NixOS
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, RHEL
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, without the link
    "/etc/ssl/cert.pem",                                  // Alpine
    "/etc/ssl/ca-bundle.pem",                             // SUSE
};
constexpr const char* k_directory = "/etc/ssl/certs";

}  // namespace

SystemTrust find_system_trust(const Environment& env, Files& files) {
  SystemTrust found{env.text("SSL_CERT_FILE"), env.text("SSL_CERT_DIR")};
  if (!found.file.empty() || !found.directory.empty()) return found;
  for (const char* file : k_files) {
    if (!files.exists(file)) continue;
    found.file = file;
    break;
  }
  if (files.exists(k_directory)) found.directory = k_directory;
  return found;
}

std::string system_trust_places() {
  std::string places = "SSL_CERT_FILE, SSL_CERT_DIR";
  for (const char* file : k_files) places += cat(", ", file);
  return places;
}

namespace {

// A request whose answer is being collected. Its handlers capture `this`, which is safe because
// they run only while request_ lives.
class Collection : public Handle {
 public:
  Collection(std::function<void(Result<Response>)> done, std::size_t limit)
      : done_(std::move(done)), limit_(limit) {}

  void start(Transport& transport, Request request) {
    Handlers handlers;
    handlers.on_head = [this](const ResponseHead& head) { response_.head = head; };
    handlers.on_data = [this](std::string_view piece) { take(piece); };
    handlers.on_done = [this](Status status) {
      if (!status) return finish(std::move(status).error());
      finish(std::move(response_));
    };
    request_ = transport.start(std::move(request), std::move(handlers));
  }

 private:
  void take(std::string_view piece) {
    if (response_.body.size() + piece.size() > limit_) {
      finish(Error{Code::error, cat("the answer is longer than ", limit_, " bytes"), ""});
      return;
    }
    response_.body += piece;
  }
  // The callback may destroy this object.
  void finish(Result<Response> result) {
    request_.reset();
    const auto done = std::move(done_);
    done(std::move(result));
  }

  std::function<void(Result<Response>)> done_;
  std::size_t limit_;
  Response response_;
  HandlePtr request_;
};

}  // namespace

std::string ResponseHead::header(std::string_view name) const {
  const std::string wanted = lower(name);
  for (const Header& header : headers) {
    if (lower(header.name) == wanted) return header.value;
  }
  return "";
}

HandlePtr collect(Transport& transport, Request request, std::function<void(Result<Response>)> done,
                  std::size_t limit) {
  auto collection = std::make_unique<Collection>(std::move(done), limit);
  collection->start(transport, std::move(request));
  return collection;
}

namespace {

constexpr std::string_view k_raise_limit =
    "raise the limit with ulimit -n, or follow fewer replicas: without HTTP/2, each log needs "
    "its own connection";

}  // namespace

Error cannot_reach(std::string_view server, std::string_view reason) {
  return Error{Code::unreachable, cat("cannot reach ", server, ": ", reason),
               "check that the cluster is up and that --context or --server names the right one"};
}

Error too_many_open(std::string_view server, std::uint64_t limit) {
  return Error{
      Code::unreachable,
      cat("cannot reach ", server, ": too many open files (the limit is ", limit, ": ulimit -n)"),
      std::string(k_raise_limit)};
}

bool is_too_many_open(const Error& error) {
  return error.hint == k_raise_limit;
}

Error connection_lost(std::string_view server) {
  return Error{
      Code::unreachable, cat("the connection to ", server, " was lost before its answer ended"),
      "try again; if it happens often, a proxy or load balancer in between cuts connections"};
}

Error no_answer(std::string_view server, Duration limit) {
  return Error{Code::unreachable, cat("no answer from ", server, " within ", seconds_text(limit)),
               "wait longer with --request-timeout, or check that the cluster is up"};
}

Error no_sign_of_life(std::string_view server, Duration limit) {
  return Error{
      Code::unreachable, cat("no sign of life from ", server, " for ", seconds_text(limit)),
      "try again; if it happens often, a proxy or load balancer in between drops idle connections"};
}

std::string trying_again(Duration wait) {
  return wait == Duration::zero() ? "trying again" : cat("trying again in ", seconds_text(wait));
}

std::string seconds_text(Duration duration) {
  const auto tenths = std::chrono::round<std::chrono::duration<long, std::deci>>(duration).count();
  if (tenths % 10 == 0) return cat(tenths / 10, " s");
  return cat(tenths / 10, '.', tenths % 10, " s");
}

}  // namespace trainctl::net
