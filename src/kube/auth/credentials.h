// Credentials that identify the user to the server, fetched when needed and refreshed when refused.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/loop/loop.h"
#include "base/text/time.h"
#include "kube/config/kubeconfig.h"
#include "net/http.h"

namespace trainctl::kube {

// The `exp` of a JSON web token, which service accounts and OIDC providers use; nullopt for every
// other token. Nothing is verified: that is the server's business.
std::optional<Time> token_end(std::string_view token);

struct Credential {
  std::vector<net::Header> headers;  // Authorization, Impersonate-*
  std::shared_ptr<const net::ClientIdentity> identity;
  std::shared_ptr<const std::string> ca_pem;  // null = the endpoint's CA
  unsigned generation = 0;  // counts the plugin answers and token file contents so far
};

// The time a login may take: users need time for their second factor.
inline constexpr Duration k_plugin_limit = std::chrono::minutes(5);

class Credentials {
 public:
  // `secure` is false for a plain http endpoint: then nothing but impersonation headers is sent.
  // `interactive` says that stdin is a terminal the plugin may use.
  Credentials(Loop& loop, Files& files, const Environment& env, AuthInfo auth, bool secure,
              bool interactive, std::function<void(std::string)> notice,
              Duration plugin_limit = k_plugin_limit);
  ~Credentials();

  // Calls back with the credential, at once when it is available. Callers that come while a plugin
  // runs wait for that run. Failures are Code::auth.
  [[nodiscard]] HandlePtr get(std::function<void(Result<Credential>)> done);

  // Called after a 401: forgets the plugin's or token file's credential, so that the next get()
  // fetches it again. A credential that was already replaced is not forgotten, so that a thousand
  // refused streams start one plugin. Returns false when nothing can be refreshed.
  bool refresh(unsigned refused_generation);

  // Names the credential in the message of a 401: "the token of user \"u\" in /path".
  std::string description() const;
  // ", which expired at …", or "" when the credential does not contain an expiry that has passed.
  std::string expiry() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace trainctl::kube
