// Resolves flags, files and environment to one cluster, user and namespace.
#include "kube/config/kubeconfig.h"

#include <utility>

#include "base/text/text.h"
#include "kube/config/in_cluster.h"
#include "kube/config/kubeconfig_load.h"
#include "kube/config/kubeconfig_parts.h"
#include "net/url.h"

namespace trainctl::kube {

namespace {

Error not_found(std::string_view what, std::string_view name, std::string_view whose,
                const KubeconfigEntries& known) {
  Error error{Code::usage, cat(what, " \"", printable_line(name), "\"", whose, " does not exist"),
              ""};
  error.hint = known.empty() ? cat("the kubeconfig has no ", what)
                             : cat("the kubeconfig has: ", names_of(known));
  return error;
}

Error nothing_configured(const Kubeconfig& config, const Environment& env) {
  Error error{Code::usage, "",
              "name one with --kubeconfig or KUBECONFIG; without a cluster, --local runs jobs on "
              "this machine"};
  if (config.looked_at.empty() && env.text("HOME").empty()) {
    error.message = "no kubeconfig found: HOME is not set, and neither is KUBECONFIG";
    return error;
  }
  const std::string where =
      config.looked_at.empty() ? "KUBECONFIG, which is empty" : join(config.looked_at, ", ");
  error.message = cat("no kubeconfig found: looked in ", where);
  if (!env.text("KUBERNETES_SERVICE_HOST").empty()) {
    error.message += ", and in the pod's service account, which has no token";
  }
  return error;
}

struct Selection {
  std::string context_name;
  const KubeconfigEntry* context = nullptr;
  Chosen cluster, user;
};

Result<Chosen> choose(std::string_view what, const KubeconfigEntries& entries,
                      const std::string& flag, std::string_view field, const Selection& selection) {
  Chosen chosen;
  std::string whose;
  chosen.name = flag;
  if (flag.empty() && selection.context != nullptr) {
    const std::string described = cat("context \"", selection.context_name, "\"");
    TRY_ASSIGN(chosen.name, text_field(*selection.context, described, field));
    whose = cat(" of ", described, " in ", selection.context->file);
  }
  if (chosen.name.empty()) return chosen;
  const auto found = entries.find(chosen.name);
  if (found == entries.end()) return not_found(what, chosen.name, whose, entries);
  chosen.entry = &found->second;
  return chosen;
}

Result<Selection> select(const Kubeconfig& config, const ConnectionFlags& flags) {
  Selection selection;
  selection.context_name = flags.context.empty() ? config.current_context : flags.context;
  if (!selection.context_name.empty()) {
    const auto found = config.contexts.find(selection.context_name);
    if (found == config.contexts.end()) {
      const std::string_view whose = flags.context.empty() ? ", the current-context," : "";
      return not_found("context", selection.context_name, whose, config.contexts);
    }
    selection.context = &found->second;
  }
  TRY_ASSIGN(selection.cluster,
             choose("cluster", config.clusters, flags.cluster, "cluster", selection));
  TRY_ASSIGN(selection.user, choose("user", config.users, flags.user, "user", selection));
  return selection;
}

Status check_has_cluster(const Kubeconfig& config, const ConnectionFlags& flags,
                         const Selection& selection) {
  if (selection.cluster.entry != nullptr || !flags.server.empty()) return {};
  if (selection.context != nullptr) {
    return Error{Code::usage,
                 cat("context \"", selection.context_name, "\" in ", selection.context->file,
                     " names no cluster"),
                 "add a cluster to the context, or choose one with --cluster"};
  }
  return Error{
      Code::usage, cat("no current-context in the kubeconfig ", join(config.looked_at, ", ")),
      config.contexts.empty() ? "choose one with --cluster or --server"
                              : cat("choose one with --context: ", names_of(config.contexts))};
}

// Users paste "namespaces/foo" from the output of `kubectl get -o name`.
std::string namespace_flag(const ConnectionFlags& flags) {
  constexpr std::string_view k_namespaces_prefix = "namespaces/";
  return flags.ns.starts_with(k_namespaces_prefix) ? flags.ns.substr(k_namespaces_prefix.size())
                                                   : flags.ns;
}

std::string choose_namespace(Files& files, const Environment& env, const ConnectionFlags& flags,
                             const KubeconfigEntry* context) {
  std::string ns = namespace_flag(flags);
  if (ns.empty() && context != nullptr) ns = text_at(context->fields, "/namespace");
  if (ns.empty() && in_cluster(files, env)) ns = in_cluster_namespace(files, env);
  return ns.empty() ? "default" : ns;
}

bool names_an_entry(const ConnectionFlags& flags) {
  return !flags.context.empty() || !flags.cluster.empty() || !flags.user.empty();
}

Result<Connection> from_kubeconfig(const Inputs& inputs, const Kubeconfig& config) {
  const ConnectionFlags& flags = inputs.flags;
  if (config.empty() && flags.server.empty() && !names_an_entry(flags)) {
    return nothing_configured(config, inputs.env);
  }
  TRY_ASSIGN(const Selection selection, select(config, flags));
  TRY(check_has_cluster(config, flags, selection));
  Connection connection;
  TRY_ASSIGN(ClusterAccess access, make_cluster_access(inputs, selection.cluster));
  TRY_ASSIGN(connection.auth, make_auth(inputs, selection.user, access.plugin_info));
  connection.auth.files.ca = std::move(access.ca_file);
  connection.endpoint = std::move(access.endpoint);
  connection.warnings = std::move(access.warnings);
  connection.context = selection.context_name;
  connection.cluster = selection.cluster.name;
  connection.user = selection.user.name;
  connection.ns = choose_namespace(inputs.files, inputs.env, flags, selection.context);
  return connection;
}

}  // namespace

Result<Connection> resolve_connection(Files& files, const Environment& env,
                                      const ConnectionFlags& flags) {
  std::optional<Duration> timeout;
  if (!flags.request_timeout.empty()) {
    Result<Duration> parsed = parse_duration(flags.request_timeout);
    if (!parsed) return in_context("--request-timeout", std::move(parsed).error());
    timeout = *parsed;
  }
  TRY_ASSIGN(const Kubeconfig config, load_kubeconfig(files, env, flags.kubeconfig));
  const bool from_pod = config.empty() && !names_an_entry(flags) && in_cluster(files, env);
  Result<Connection> connection = from_pod ? in_cluster_connection(files, env, flags)
                                           : from_kubeconfig(Inputs{files, env, flags}, config);
  if (!connection) return connection;
  if (from_pod) connection->ns = choose_namespace(files, env, flags, nullptr);
  connection->request_timeout = timeout;
  connection->warnings.insert(connection->warnings.end(), config.warnings.begin(),
                              config.warnings.end());
  return connection;
}

std::string resolve_namespace(Files& files, const Environment& env, const ConnectionFlags& flags) {
  const std::string given = namespace_flag(flags);
  if (!given.empty()) return given;
  const Result<Kubeconfig> config = load_kubeconfig(files, env, flags.kubeconfig);
  if (!config) return "default";
  const std::string& name = flags.context.empty() ? config->current_context : flags.context;
  const auto found = config->contexts.find(name);
  const bool known = found != config->contexts.end();
  if (!known && !name.empty()) return "default";
  return choose_namespace(files, env, flags, known ? &found->second : nullptr);
}

std::string server_host(const Connection& connection) {
  const auto url = net::parse_url(connection.endpoint.base_url);
  return url ? url->host : "";
}

}  // namespace trainctl::kube
