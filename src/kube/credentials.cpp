// Tokens, certificates and plugin answers as request headers, cached while they are good.
#include "kube/credentials.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "kube/exec_plugin.h"
#include "kube/kubeconfig_parts.h"

namespace trainctl::kube {

namespace {

// client-go's: read again every minute, ten seconds early.
constexpr Duration k_token_file_period = std::chrono::seconds(50);
constexpr Duration k_notice_after = std::chrono::seconds(3);
constexpr Duration k_plugin_limit = std::chrono::minutes(5);

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

// Keys of extra fields become header names: what no header name can hold is percent-encoded.
std::string header_key(std::string_view key) {
  constexpr std::string_view k_marks = "!#$&'*+-.^_`|~";
  constexpr std::string_view k_hex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : key) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain || k_marks.find(c) != std::string_view::npos) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped += {'%', k_hex[byte >> 4], k_hex[byte & 15]};
  }
  return escaped;
}

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

}  // namespace

struct Credentials::State : std::enable_shared_from_this<State> {
  Loop& loop;
  Files& files;
  const Environment& env;
  AuthInfo auth;
  bool secure;
  bool interactive;
  std::function<void(std::string)> notice;

  unsigned generation = 0;
  std::string file_token;
  std::optional<Time> file_read_at;
  std::optional<PluginAnswer> answer;
  std::shared_ptr<const net::ClientIdentity> plugin_identity;
  std::vector<std::shared_ptr<Waiter>> waiters;
  HandlePtr child, notice_timer, limit_timer;

  State(Loop& loop_, Files& files_, const Environment& env_, AuthInfo auth_, bool secure_,
        bool interactive_, std::function<void(std::string)> notice_)
      : loop(loop_),
        files(files_),
        env(env_),
        auth(std::move(auth_)),
        secure(secure_),
        interactive(interactive_),
        notice(std::move(notice_)) {}

  Result<std::string> token_from_file();
  Credential with_bearer(const std::string& token) const;
  Credential from_plugin() const;
  Result<Credential> at_hand();
  bool answer_is_good() const;
  void start_plugin();
  void on_child(Result<ChildExit> exit);
  void accept(PluginAnswer fresh);
  void tell_waiters(const Result<Credential>& outcome);
};

// A token that could be read once stays in use when reading fails later.
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

Credential Credentials::State::with_bearer(const std::string& token) const {
  Credential credential{impersonation_headers(auth), auth.identity, generation};
  credential.headers.push_back({"Authorization", "Bearer " + token});
  return credential;
}

Credential Credentials::State::from_plugin() const {
  Credential credential{impersonation_headers(auth), plugin_identity, generation};
  if (!answer->token.empty()) {
    credential.headers.push_back({"Authorization", "Bearer " + answer->token});
  }
  return credential;
}

// Everything but a plugin's answer.
Result<Credential> Credentials::State::at_hand() {
  if (!secure) return Credential{impersonation_headers(auth), nullptr, generation};
  if (!auth.token_file.empty()) {
    TRY_ASSIGN(const std::string token, token_from_file());
    return with_bearer(token);
  }
  if (!auth.token.empty()) return with_bearer(auth.token);
  Credential credential{impersonation_headers(auth), auth.identity, generation};
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
    tell_waiters(std::move(spec).error());
    return;
  }
  const std::weak_ptr<State> weak = weak_from_this();
  notice_timer = loop.after(k_notice_after, [weak] {
    const auto self = weak.lock();
    if (!self || !self->notice) return;
    self->notice(cat("waiting for the credential plugin ", self->auth.exec->command));
  });
  limit_timer = loop.after(k_plugin_limit, [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->child.reset();
    self->on_child(Error{
        Code::auth,
        cat("credential plugin ", self->auth.exec->command, " did not finish within 5 minutes"),
        "run the plugin by hand to see what it waits for"});
  });
  child = loop.spawn(*std::move(spec), [weak](Result<ChildExit> exit) {
    if (const auto self = weak.lock()) self->on_child(std::move(exit));
  });
}

void Credentials::State::on_child(Result<ChildExit> exit) {
  notice_timer.reset();
  limit_timer.reset();
  const ExecPlugin& plugin = *auth.exec;
  if (!exit) {
    Error error = exit.error().code == Code::not_found ? plugin_missing(plugin) : exit.error();
    error.code = Code::auth;
    return tell_waiters(error);
  }
  if (exit->status != 0) return tell_waiters(plugin_failed(plugin, exit->status));
  Result<PluginAnswer> fresh = read_plugin_answer(plugin, exit->output);
  if (!fresh) return tell_waiters(fresh.error());
  accept(*std::move(fresh));
  tell_waiters(from_plugin());
}

// Keeps the identity object while the certificate stays the same: connections hang on it.
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

void Credentials::State::tell_waiters(const Result<Credential>& outcome) {
  const std::vector<std::shared_ptr<Waiter>> told = std::exchange(waiters, {});
  for (const std::shared_ptr<Waiter>& waiter : told) {
    if (auto done = std::exchange(waiter->done, nullptr)) done(outcome);
  }
}

Credentials::Credentials(Loop& loop, Files& files, const Environment& env, AuthInfo auth,
                         bool secure, bool interactive, std::function<void(std::string)> notice)
    : state_(std::make_shared<State>(loop, files, env, std::move(auth), secure, interactive,
                                     std::move(notice))) {}

Credentials::~Credentials() = default;

HandlePtr Credentials::get(std::function<void(Result<Credential>)> done) {
  const std::shared_ptr<State> state = state_;
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

}  // namespace trainctl::kube
