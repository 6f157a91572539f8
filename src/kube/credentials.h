// What proves to the server who we are, fetched when needed and refreshed when refused.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "base/loop.h"
#include "kube/kubeconfig.h"
#include "net/http.h"

namespace trainctl::kube {

struct Credential {
  std::vector<net::Header> headers;  // Authorization, Impersonate-*
  std::shared_ptr<const net::ClientIdentity> identity;
  std::shared_ptr<const std::string> ca_pem;  // null = what the endpoint trusts
  unsigned generation = 0;  // which answer of a plugin or token file it was made of
};

// How long a login may take: people have to find their second factor.
inline constexpr Duration k_plugin_limit = std::chrono::minutes(5);

class Credentials {
 public:
  // `secure` is false for a plain http endpoint: then nothing but impersonation headers is sent.
  // `interactive` says that stdin is a terminal the plugin may use.
  Credentials(Loop& loop, Files& files, const Environment& env, AuthInfo auth, bool secure,
              bool interactive, std::function<void(std::string)> notice,
              Duration plugin_limit = k_plugin_limit);
  ~Credentials();

  // Calls back with the credential, at once when it is at hand; callers that come while a plugin
  // runs wait for that one run. Failures are Code::auth.
  [[nodiscard]] HandlePtr get(std::function<void(Result<Credential>)> done);

  // After a 401: forgets what a plugin or token file gave, so that the next get() asks again;
  // nothing is forgotten when the refused credential was already replaced, so that a thousand
  // refused streams start one plugin. False when there is nothing that could be refreshed.
  bool refresh(unsigned refused_generation);

  // "the token of user \"u\" in /path", for the message of a 401.
  std::string description() const;
  // ", which expired at …", or "" while the credential does not say so itself.
  std::string expiry() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace trainctl::kube
