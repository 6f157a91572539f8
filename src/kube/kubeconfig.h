// kubeconfig files, merged and resolved to one cluster, user and namespace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "base/json.h"
#include "base/result.h"
#include "net/http.h"

namespace trainctl::kube {

// kubectl's connection flags, as typed; empty = not given.
struct ConnectionFlags {
  std::string kubeconfig, context, cluster, user, ns;
  std::string server, token, certificate_authority, client_certificate, client_key;
  std::string tls_server_name, as_user, as_uid;
  std::vector<std::string> as_groups;
  std::string request_timeout;  // "0" = none; applies to unary calls only
  bool insecure = false;
};

// A credential plugin (client.authentication.k8s.io) as a kubeconfig user names it.
struct ExecPlugin {
  std::string api_version;  // …/v1 or …/v1beta1
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  std::string interactive_mode;  // Never, IfAvailable, Always
  Json cluster_info;             // spec.cluster for the plugin; null unless provideClusterInfo
};

// Files that may be replaced while a command runs; "" = what was read came from elsewhere.
struct PemFiles {
  std::string certificate, key, ca;
};

// How to authenticate: at most one of token/token_file, basic and exec, maybe with a certificate.
struct AuthInfo {
  std::string source;  // "user \"u\" in /home/…/config", for messages
  std::string token, token_file;
  std::string expired_hint;  // when not empty, a token past its own end is not sent: what to do
  std::string username, password;
  std::shared_ptr<const net::ClientIdentity> identity;
  PemFiles files;
  std::optional<ExecPlugin> exec;
  std::string as_user, as_uid;
  std::vector<std::string> as_groups;
  std::vector<std::pair<std::string, std::string>> as_extra;
};

struct Connection {
  net::Endpoint endpoint;
  AuthInfo auth;
  std::string context;        // name; "" when made from flags or in a pod
  std::string cluster, user;  // names of the kubeconfig's entries, "" likewise
  std::string ns;             // flag › context › in-cluster file › "default"
  bool in_cluster = false;
  std::vector<std::string> warnings;        // one sentence each
  std::optional<Duration> request_timeout;  // 0 = none; not given = the default of each call
};

// The rules of clientcmd (kubernetes-client: which files, first one wins, paths relative to their
// file, flags over file), except where they guess: a context naming a missing cluster or user, or
// a cluster without server, is an error that names it. All errors are Code::usage: nothing was
// sent. Files are read through `files`; $HOME, $KUBECONFIG, proxies and in-cluster variables from
// `env`.
Result<Connection> resolve_connection(Files& files, const Environment& env,
                                      const ConnectionFlags& flags);

// The namespace alone, for work that sends nothing (a client dry run): the same rules, but any
// trouble with the kubeconfig gives "default".
std::string resolve_namespace(Files& files, const Environment& env, const ConnectionFlags& flags);

}  // namespace trainctl::kube
