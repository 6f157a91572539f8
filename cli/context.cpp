// Creates the client of the chosen cluster, the first time a command asks for it.
#include "cli/context.h"

#include <utility>

#include "base/file/sha256.h"
#include "base/text/text.h"
#include "cli/local_cluster.h"
#include "kube/auth/credentials.h"
#include "net/http.h"
#include "net/retry.h"
#include "net/trace.h"
#include "net/url.h"

namespace trainctl::cli {
namespace {

constexpr Duration k_hurried_plugin_limit = std::chrono::seconds(1);

// The server as messages name it: without prefix and user info.
std::string name_of_server(const Context& context, const net::Endpoint& endpoint) {
  if (context.embedded) return "the embedded cluster";
  const auto url = net::parse_url(endpoint.base_url);
  return url ? net::host_port(*url) : "the cluster";
}

}  // namespace

Context::Context(const CommandTable& commands_, Console& console_, Files& files_, Loop& loop_,
                 Environment environment_, MakeTransport make_transport_)
    : Access(console_, files_, loop_, std::move(environment_)),
      commands(commands_),
      make_transport(std::move(make_transport_)) {}

std::string Context::cluster_name() const {
  if (embedded) return std::string(work::k_embedded_cluster);
  const auto connection = this->connection();
  if (!connection) return "";
  return connection->context.empty() ? kube::server_host(*connection) : connection->context;
}

std::string Context::cluster_identity() const {
  if (embedded) return std::string(work::k_embedded_cluster);
  const auto connection = this->connection();
  if (!connection) return "";
  const std::string_view authority = trim(connection->endpoint.ca_pem);
  return authority.empty() ? kube::server_host(*connection) : sha256_hex(authority);
}

Result<kube::Connection> Context::connection() const {
  if (embedded) return local_connection(*this);
  auto connection = kube::resolve_connection(files, environment, connection_flags);
  const bool names_none = !connection && connection.error().hint == kube::k_name_a_kubeconfig;
  if (!names_none || !check_local_host()) return connection;
  return Error{
      connection.error().code, connection.error().message,
      cat(kube::k_name_a_kubeconfig, "; without a cluster, --local runs jobs on this machine")};
}

// The typed server and credentials hold for the manager's cluster alone. --as holds for both, so
// that the user has no more rights than asked for.
Result<kube::Connection> Context::connection_of_worker() const {
  kube::ConnectionFlags flags;
  flags.kubeconfig = connection_flags.kubeconfig;
  flags.context = clients_.worker;
  flags.request_timeout = connection_flags.request_timeout;
  flags.as_user = connection_flags.as_user;
  flags.as_uid = connection_flags.as_uid;
  flags.as_groups = connection_flags.as_groups;
  return kube::resolve_connection(files, environment, flags);
}

Status Context::enter_worker(const std::string& worker) {
  TRY_ASSIGN(clients_.worker, configuration.worker_context(*this, worker));
  return {};
}

// `client` is made later, of this transport.
Result<std::unique_ptr<net::Transport>> Context::connect(
    const kube::Connection& connection, const std::unique_ptr<kube::Client>& client) {
  TRY_ASSIGN(auto transport, make_transport(connection.endpoint));
  // Completion has no place for warnings.
  for (const std::string& warning : connection.warnings) {
    if (patient) console.warn(warning);
  }
  if (local.is_found && patient) tell_of_found_cluster(*this);
  if (embedded) {
    TRY_ASSIGN(transport, start_local_cluster(*this, std::move(transport)));
  }
  if (trace_level > 0) {
    transport = net::make_trace(loop, std::move(transport),
                                [this](const std::string& line) { console.err(line + '\n'); });
  }
  if (patient) {
    transport = net::make_slow_request_notice(
        loop, std::move(transport), name_of_server(*this, connection.endpoint),
        [this](const std::string& text) { console.notice(text); });
    transport = net::make_retry(loop, std::move(transport), net::RetryPolicy{},
                                [this, &client](const std::string& reason, Duration wait) {
                                  client->note_fault(reason);
                                  console.notice(cat(reason, "; ", net::trying_again(wait)));
                                });
  }
  return transport;
}

Result<kube::Client*> Context::client() {
  const bool is_worker = !clients_.worker.empty();
  std::unique_ptr<kube::Client>& client = clients_.by_context[clients_.worker];
  if (client) return client.get();

  TRY_ASSIGN(auto connection, is_worker ? connection_of_worker() : this->connection());
  connection.endpoint.user_agent = cat("trainctl/", TRAINCTL_VERSION);
  TRY_ASSIGN(auto transport, connect(connection, client));
  const bool secure = connection.endpoint.base_url.starts_with("https:");
  auto credentials = std::make_unique<kube::Credentials>(
      loop, files, environment, std::move(connection.auth), secure, patient && console.in_is_tty,
      [this](const std::string& text) { console.notice(text); },
      patient ? kube::k_plugin_limit : k_hurried_plugin_limit);
  client = std::make_unique<kube::Client>(loop, std::move(transport), std::move(credentials),
                                          connection.endpoint.base_url, connection.request_timeout,
                                          [this](const std::string& text) { console.warn(text); });
  client->set_limit(clients_.limit);
  if (!is_worker) ns_ = connection.ns;
  return client.get();
}

WaitLimit* Context::set_limit(WaitLimit* limit) {
  for (const auto& [context, client] : clients_.by_context) {
    if (client) client->set_limit(limit);
  }
  return std::exchange(clients_.limit, limit);
}

const std::string& Context::ns() {
  if (!ns_ && embedded) ns_ = local_namespace(*this);
  if (!ns_) ns_ = kube::resolve_namespace(files, environment, connection_flags);
  return *ns_;
}

}  // namespace trainctl::cli
