// kubeconfig files, merged and resolved to one cluster, user and namespace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/result.h"
#include "base/value/json.h"
#include "net/http.h"

namespace trainctl::kube {

// A cluster, user or context, and the file that its relative paths refer to.
struct KubeconfigEntry {
  Json fields;
  std::string file;
};
using KubeconfigEntries = std::map<std::string, KubeconfigEntry, std::less<>>;

struct Kubeconfig {
  KubeconfigEntries clusters, users, contexts;
  std::string current_context;
  std::vector<std::string> looked_at;  // files that were tried, existing or not
  std::vector<std::string> warnings;   // about files that others can read or change

  bool empty() const {
    return clusters.empty() && users.empty() && contexts.empty() && current_context.empty();
  }
};

// Parses one file. Code::usage, naming the file, when it is not a kubeconfig.
Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& file);

// Reads a field that must be a string ("" when absent) or a boolean (false when absent). The error
// names the file and, through `what`, the entry: `user "u"`.
Result<std::string> text_field(const KubeconfigEntry& entry, std::string_view what,
                               std::string_view field);
Result<bool> switch_field(const KubeconfigEntry& entry, std::string_view what,
                          std::string_view field);

// "a, b, c" (the first 20), for hints.
std::string names_of(const KubeconfigEntries& entries);

// kubectl's connection flags, as typed; empty = not given.
struct ConnectionFlags {
  std::string kubeconfig, context, cluster, user, ns;
  std::string server, token, certificate_authority, client_certificate, client_key;
  std::string tls_server_name, as_user, as_uid;
  std::vector<std::string> as_groups;
  std::string request_timeout;  // "0" = none; applies to unary calls only
  bool insecure = false;
};

// A credential plugin (client.authentication.k8s.io) as a kubeconfig user configures it.
struct ExecPlugin {
  std::string api_version;  // …/v1 or …/v1beta1
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  std::string interactive_mode;  // Never, IfAvailable, Always
  Json cluster_info;  // spec.cluster passed to the plugin; null unless provideClusterInfo
};

// Files that may be replaced while a command runs; "" = the value did not come from a file.
struct PemFiles {
  std::string certificate, key, ca;
};

// A user's way to authenticate: at most one of token/token_file, basic and exec, possibly with a
// certificate.
struct AuthInfo {
  std::string source;  // "user \"u\" in /home/…/config", for messages
  std::string token, token_file;
  std::string expired_hint;  // when set, an expired token is not sent, and this is the error's hint
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
  std::string context;        // name; "" when the connection comes from flags or a pod
  std::string cluster, user;  // names of the kubeconfig's entries; "" likewise
  std::string ns;             // flag › context › in-cluster file › "default"
  bool in_cluster = false;
  std::vector<std::string> warnings;        // one sentence each
  std::optional<Duration> request_timeout;  // 0 = none; not given = the default of each call
};

// Follows the rules of clientcmd (which files are read, the first one wins, paths are relative to
// their file, flags override files), except where they guess: a context that names a missing
// cluster or user, or a cluster without server, is an error that names it. All errors are
// Code::usage, because nothing was sent. Reads files through `files`, and $HOME, $KUBECONFIG,
// proxies and in-cluster variables from `env`.
Result<Connection> resolve_connection(Files& files, const Environment& env,
                                      const ConnectionFlags& flags);

// The hint of an error that says that nothing names a cluster.
inline constexpr std::string_view k_name_a_kubeconfig = "name one with --kubeconfig or KUBECONFIG";

// Without flags, nothing says which cluster is meant: there is no file to read, and this is no pod.
bool names_no_cluster(Files& files, const Environment& env);

// The host that the connection leads to, without brackets; "" for a URL that cannot be parsed.
std::string server_host(const Connection& connection);

// Resolves the namespace alone, for work that sends nothing (a client dry run), by the same rules;
// any problem with the kubeconfig gives "default".
std::string resolve_namespace(Files& files, const Environment& env, const ConnectionFlags& flags);

}  // namespace trainctl::kube
