// Turns tokens, certificates and plugin answers into request headers, cached while they are valid.
#include "kube/auth/credentials.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "base/value/base64.h"
#include "base/value/json.h"
#include "kube/auth/client_certificate.h"
#include "kube/auth/exec_plugin.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/kubeconfig_parts.h"
#include "net/http.h"

namespace trainctl::kube {
namespace {

// Request headers for acting as another user (--as and related flags). Keys of extra fields become
// header names, so characters that a header name cannot hold are percent-encoded.
std::string header_key(std::string_view key) {
  constexpr std::string_view k_marks = "!#$&'*+-.^_`|~";
  std::string escaped;
  for (const char c : key) {
    const bool fits = is_letter_or_digit(c) || k_marks.find(c) != std::string_view::npos;
    escaped += fits ? std::string(1, c) : percent_escaped(c);
  }
  return escaped;
}

// Empty when no user is named; make_auth() has refused a uid, groups or extra fields without one.
std::vector<net::Header> impersonation_headers(const AuthInfo& auth) {
  std::vector<net::Header> headers;
  if (auth.as_user.empty()) return headers;
  headers.push_back({"Impersonate-User", auth.as_user});
  if (!auth.as_uid.empty()) headers.push_back({"Impersonate-Uid", auth.as_uid});
  for (const std::string& group : auth.as_groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, value] : auth.as_extra) {
    headers.push_back({"Impersonate-Extra-" + header_key(key), value});
  }
  return headers;
}

// Decodes base64 in its URL-safe form without padding, in which claims are written.
std::optional<std::string> base64url_decode(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return base64_decode(text);
}

}  // namespace

std::optional<Time> token_end(std::string_view token) {
  const std::vector<std::string> parts = split(token, '.');
  if (parts.size() != 3) return std::nullopt;
  const std::optional<std::string> claims = base64url_decode(parts[1]);
  if (!claims) return std::nullopt;
  const Result<Json> parsed = parse_json(*claims, "claims");
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const Json* end = find(*parsed, "/exp");
  if (end == nullptr || !end->is_number()) return std::nullopt;
  const auto seconds = end->get<double>();
  // Time counts nanoseconds in 64 bits and ends in 2262: such a token does not expire.
  constexpr double k_end_of_time = 9'000'000'000;
  if (!(seconds >= 0 && seconds < k_end_of_time)) return std::nullopt;
  return Time(std::chrono::seconds(static_cast<long long>(seconds)));
}

namespace {

// client-go reads the file again every minute, ten seconds early.
constexpr Duration k_token_file_period = std::chrono::seconds(50);
constexpr Duration k_notice_after = std::chrono::seconds(3);

struct Waiter {
  std::function<void(Result<Credential>)> done;
};

class WaiterHandle : public Handle {
 public:
  explicit WaiterHandle(std::shared_ptr<Waiter> waiter) : waiter_(std::move(waiter)) {}
  ~WaiterHandle() override { waiter_->done = nullptr; }

 private:
  std::shared_ptr<Waiter> waiter_;
};

}  // namespace

struct Credentials::State : std::enable_shared_from_this<State> {
  Loop& loop;
  Files& files;
  const Environment& env;
  AuthInfo auth;
  bool secure;
  bool interactive;
  std::function<void(std::string)> notice;
  Duration plugin_limit;
  RotatedFiles pem_files;

  unsigned generation = 0;
  std::string file_token;
  std::optional<Time> file_read_at;
  std::optional<PluginAnswer> answer;
  std::shared_ptr<const net::ClientIdentity> plugin_identity;
  std::vector<std::shared_ptr<Waiter>> waiters;
  HandlePtr child;
  std::vector<HandlePtr> watches;  // while a plugin runs

  State(Loop& loop_, Files& files_, const Environment& env_, AuthInfo auth_, bool secure_,
        bool interactive_, std::function<void(std::string)> notice_, Duration plugin_limit_)
      : loop(loop_),
        files(files_),
        env(env_),
        auth(std::move(auth_)),
        secure(secure_),
        interactive(interactive_),
        notice(std::move(notice_)),
        plugin_limit(plugin_limit_),
        pem_files(files, auth) {}

  Result<std::string> token_from_file();
  Credential base() const;
  Credential with_bearer(const std::string& token) const;
  Status check_end() const;
  std::string expiry_text() const;
  Credential from_plugin() const;
  Result<Credential> at_hand();
  bool answer_is_good() const;
  void start_plugin();
  void stop_with(Code code);
  void on_child(Result<ChildExit> exit);
  void accept(PluginAnswer fresh);
  void answer_waiters(const Result<Credential>& outcome);
};

// A token that was read once stays in use when a later read fails.
Result<std::string> Credentials::State::token_from_file() {
  const bool fresh = file_read_at && loop.now() - *file_read_at < k_token_file_period;
  if (fresh) return file_token;
  const std::string whose = cat("token file ", auth.token_file, " of ", auth.source);
  Result<std::string> text = files.read(auth.token_file);
  const std::string token = text ? std::string(trim(*text)) : "";
  if (!token.empty() && check_header_text("token", token)) {
    if (token != file_token) ++generation;
    file_token = token;
    file_read_at = loop.now();
    return token;
  }
  if (!file_token.empty()) return file_token;
  if (!auth.token.empty()) return auth.token;
  if (!text) return Error{Code::auth, cat(whose, ": ", text.error().message), ""};
  const std::string_view why = token.empty() ? " is empty" : " holds more than a token";
  return Error{Code::auth, cat(whose, why), ""};
}

// The credential without Authorization and without a plugin's answer.
Credential Credentials::State::base() const {
  return {impersonation_headers(auth), pem_files.identity(), pem_files.ca_pem(), generation};
}

Credential Credentials::State::with_bearer(const std::string& token) const {
  Credential credential = base();
  credential.headers.push_back({"Authorization", "Bearer " + token});
  return credential;
}

Credential Credentials::State::from_plugin() const {
  Credential credential = base();
  credential.identity = plugin_identity;
  if (!answer->token.empty()) {
    credential.headers.push_back({"Authorization", "Bearer " + answer->token});
  }
  return credential;
}

Status Credentials::State::check_end() const {
  if (auth.expired_hint.empty()) return {};
  const std::optional<Time> end = token_end(auth.token);
  if (!end || loop.now() < *end) return {};
  return Error{Code::auth, cat("the token of ", auth.source, " expired at ", format_time(*end)),
               auth.expired_hint};
}

// The credential when no plugin has to be run.
Result<Credential> Credentials::State::at_hand() {
  if (!secure) return Credential{impersonation_headers(auth), nullptr, nullptr, generation};
  if (!auth.token_file.empty()) {
    TRY_ASSIGN(const std::string token, token_from_file());
    return with_bearer(token);
  }
  TRY(check_end());
  if (!auth.token.empty()) return with_bearer(auth.token);
  Credential credential = base();
  if (!auth.username.empty() || !auth.password.empty()) {
    const std::string pair = base64_encode(cat(auth.username, ":", auth.password));
    credential.headers.push_back({"Authorization", "Basic " + pair});
  }
  return credential;
}

bool Credentials::State::answer_is_good() const {
  return answer && (!answer->expires || loop.now() < *answer->expires);
}

void Credentials::State::start_plugin() {
  Result<ChildSpec> spec = plugin_child(*auth.exec, env, interactive);
  if (!spec) {
    answer_waiters(std::move(spec).error());
    return;
  }
  const std::weak_ptr<State> weak = weak_from_this();
  watches.push_back(loop.after(k_notice_after, [weak] {
    const auto self = weak.lock();
    if (!self || !self->notice) return;
    self->notice(cat("waiting for the credential plugin ", self->auth.exec->command));
  }));
  watches.push_back(loop.after(plugin_limit, [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->child.reset();
    self->on_child(plugin_too_slow(*self->auth.exec, self->plugin_limit));
  }));
  watches.push_back(loop.ending_signals().watch([weak](const EndingSignal& signal) {
    if (const auto self = weak.lock()) self->stop_with(signal.code);
  }));
  child = loop.spawn(*std::move(spec), [weak](Result<ChildExit> exit) {
    if (const auto self = weak.lock()) self->on_child(std::move(exit));
  });
}

// A signal that ends the command also ends its plugin.
void Credentials::State::stop_with(Code code) {
  child.reset();
  watches.clear();
  answer_waiters(
      Error{code, cat("interrupted while the credential plugin ", auth.exec->command, " ran"), ""});
}

void Credentials::State::on_child(Result<ChildExit> exit) {
  watches.clear();
  const ExecPlugin& plugin = *auth.exec;
  if (!exit) {
    Error error = exit.error().code == Code::not_found ? plugin_missing(plugin) : exit.error();
    error.code = Code::auth;
    return answer_waiters(error);
  }
  if (exit->status != 0) return answer_waiters(plugin_failed(plugin, exit->status));
  Result<PluginAnswer> fresh = read_plugin_answer(plugin, exit->output);
  if (!fresh) return answer_waiters(fresh.error());
  accept(*std::move(fresh));
  answer_waiters(from_plugin());
}

// Keeps the identity object while the certificate is unchanged, because connections are tied to the
// object.
void Credentials::State::accept(PluginAnswer fresh) {
  ++generation;
  const bool same = plugin_identity && plugin_identity->certificate_pem == fresh.certificate_pem &&
                    plugin_identity->key_pem == fresh.key_pem;
  if (fresh.key_pem.empty()) {
    plugin_identity = nullptr;
  } else if (!same) {
    plugin_identity = std::make_shared<const net::ClientIdentity>(
        net::ClientIdentity{fresh.certificate_pem, fresh.key_pem});
  }
  answer = std::move(fresh);
}

void Credentials::State::answer_waiters(const Result<Credential>& outcome) {
  const std::vector<std::shared_ptr<Waiter>> answered = std::exchange(waiters, {});
  for (const std::shared_ptr<Waiter>& waiter : answered) {
    if (auto done = std::exchange(waiter->done, nullptr)) done(outcome);
  }
}

Credentials::Credentials(Loop& loop, Files& files, const Environment& env, AuthInfo auth,
                         bool secure, bool interactive, std::function<void(std::string)> notice,
                         Duration plugin_limit)
    : state_(std::make_shared<State>(loop, files, env, std::move(auth), secure, interactive,
                                     std::move(notice), plugin_limit)) {}

Credentials::~Credentials() = default;

HandlePtr Credentials::get(std::function<void(Result<Credential>)> done) {
  const std::shared_ptr<State> state = state_;
  state->pem_files.update(state->loop.now());
  if (!state->secure || !state->auth.exec) {
    done(state->at_hand());
    return nullptr;
  }
  if (state->answer_is_good()) {
    done(state->from_plugin());
    return nullptr;
  }
  auto waiter = std::make_shared<Waiter>();
  waiter->done = std::move(done);
  state->waiters.push_back(waiter);
  if (state->waiters.size() == 1) state->start_plugin();
  return std::make_unique<WaiterHandle>(std::move(waiter));
}

bool Credentials::refresh(unsigned refused_generation) {
  State& state = *state_;
  const bool renewable = state.secure && (state.auth.exec || !state.auth.token_file.empty());
  if (!renewable) return false;
  if (refused_generation != state.generation) return true;
  state.answer.reset();
  state.file_read_at.reset();
  return true;
}

// The expiry of the credential when it is known and has passed.
std::string Credentials::State::expiry_text() const {
  std::optional<Time> end;
  const auto& identity = pem_files.identity();
  const std::string& fixed = auth.token_file.empty() ? auth.token : file_token;
  const std::string& token = answer ? answer->token : fixed;
  if (!token.empty()) {
    end = token_end(token);
  } else if (identity) {
    end = certificate_end(identity->certificate_pem);
  }
  const bool is_over = secure && end && loop.now() >= *end;
  return is_over ? cat(", which expired at ", format_time(*end)) : "";
}

std::string Credentials::description() const {
  const AuthInfo& auth = state_->auth;
  const std::string whose = auth.source == "--token" ? "" : cat(" of ", auth.source);
  if (!state_->secure) return "no credentials, because the server is not https";
  if (auth.source == "--token") return "the token given by --token";
  if (auth.exec) return cat("the answer of credential plugin ", auth.exec->command, whose);
  if (!auth.token_file.empty()) return cat("the token in ", auth.token_file, whose);
  if (!auth.token.empty()) return cat("the token", whose);
  if (!auth.username.empty()) return cat("user name and password", whose);
  if (auth.identity) return cat("the client certificate", whose);
  return "no credentials";
}

std::string Credentials::expiry() const {
  return state_->expiry_text();
}

// Checks outside text before it goes into a header.
Status check_header_text(std::string_view what, std::string_view text) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::none_of(text, is_control)) return {};
  return Error{Code::usage, cat(what, " holds a line break or control character"), ""};
}

}  // namespace trainctl::kube
