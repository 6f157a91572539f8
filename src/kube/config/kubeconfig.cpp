// Resolves flags, files and environment to one cluster, user and namespace.
#include "kube/config/kubeconfig.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/result.h"
#include "base/text/text.h"
#include "base/value/yaml.h"
#include "kube/config/kubeconfig_outline.h"
#include "kube/config/kubeconfig_parts.h"
#include "net/url.h"

namespace trainctl::kube {
namespace {

constexpr std::size_t k_names_shown = 20;

Error broken(const std::string& file, std::string_view why) {
  return Error{Code::usage, cat("kubeconfig ", file, ": ", printable_line(why)), ""};
}

// "clusters" holds {name, cluster} and so on.
Status read_entries(const Json& config, std::string_view list, std::string_view member,
                    const std::string& file, KubeconfigEntries& entries) {
  const auto found = config.find(list);
  if (found == config.end() || found->is_null()) return {};
  if (!found->is_array()) return broken(file, cat(list, " is not a list"));
  for (const Json& item : *found) {
    if (!item.is_object()) return broken(file, cat("an item of ", list, " is not a mapping"));
    const KubeconfigEntry named{item, file};
    TRY_ASSIGN(const std::string name, text_field(named, cat("an item of ", list), "name"));
    const auto body = item.find(member);
    const bool absent = body == item.end() || body->is_null();
    if (!absent && !body->is_object()) {
      return broken(file, cat(member, " \"", name, "\" is not a mapping"));
    }
    KubeconfigEntry entry{absent ? Json::object() : *body, file};
    if (!entries.emplace(name, std::move(entry)).second) {
      return broken(file, cat("duplicate name \"", name, "\" in ", list));
    }
  }
  return {};
}

void merge(Kubeconfig& into, Kubeconfig from) {
  into.clusters.merge(from.clusters);
  into.users.merge(from.users);
  into.contexts.merge(from.contexts);
  if (into.current_context.empty()) into.current_context = std::move(from.current_context);
}

bool holds_secret(const Kubeconfig& config) {
  constexpr std::string_view k_secrets[] = {"token", "password", "client-key-data"};
  return std::ranges::any_of(config.users, [&](const auto& user) {
    return std::ranges::any_of(
        k_secrets, [&](std::string_view name) { return user.second.fields.contains(name); });
  });
}

// A kubeconfig names programs to run, and holds the user's credentials.
std::string warning_about(const std::string& path, const std::optional<FileFacts>& facts,
                          const Kubeconfig& config) {
  if (!facts || !facts->is_regular) return "";
  if (!facts->is_ours)
    return cat("kubeconfig ", path, " belongs to another user, who can change it");
  if (facts->others_write) {
    return cat("kubeconfig ", path, " can be changed by other users: chmod 600 ",
               shell_quoted(path));
  }
  if (!facts->everybody_reads || !holds_secret(config)) return "";
  return cat("kubeconfig ", path, " holds a credential that other users can read: chmod 600 ",
             shell_quoted(path));
}

std::vector<std::string> default_files(const Environment& env) {
  const std::string list = env.text("KUBECONFIG");
  if (list.empty()) {
    const std::string home = env.text("HOME");
    if (home.empty()) return {};
    return {home + "/.kube/config"};
  }
  std::vector<std::string> paths;
  for (const std::string& path : split(list, ':')) {
    const bool known = std::ranges::find(paths, path) != paths.end();
    if (!path.empty() && !known) paths.push_back(path);
  }
  return paths;
}

}  // namespace

Result<Kubeconfig> parse_kubeconfig(std::string_view text, const std::string& file) {
  TRY_ASSIGN(std::vector<Json> documents, from_yaml_stream(text, file));
  if (documents.empty()) return Kubeconfig{};
  if (documents.size() > 1) return broken(file, "more than one YAML document");
  const KubeconfigEntry top{std::move(documents.front()), file};
  if (!top.fields.is_object()) return broken(file, "not a kubeconfig, which is a mapping");

  TRY_ASSIGN(const std::string kind, text_field(top, "the file", "kind"));
  if (!kind.empty() && kind != "Config") return broken(file, cat("kind is ", kind, ", not Config"));
  TRY_ASSIGN(const std::string version, text_field(top, "the file", "apiVersion"));
  if (!version.empty() && version != "v1") {
    return broken(file, cat("apiVersion is ", version, ", not v1"));
  }
  KubeconfigEntries extensions;
  TRY(read_entries(top.fields, "extensions", "extension", file, extensions));
  Kubeconfig config;
  TRY_ASSIGN(config.current_context, text_field(top, "the file", "current-context"));
  TRY(read_entries(top.fields, "clusters", "cluster", file, config.clusters));
  TRY(read_entries(top.fields, "users", "user", file, config.users));
  TRY(read_entries(top.fields, "contexts", "context", file, config.contexts));
  return config;
}

Result<std::string> text_field(const KubeconfigEntry& entry, std::string_view what,
                               std::string_view field) {
  const auto found = entry.fields.find(field);
  if (found == entry.fields.end() || found->is_null()) return std::string();
  if (found->is_string()) return found->get<std::string>();
  // The original spelling is lost (0123 has become 83), so guessing it could send a wrong token.
  Error error = broken(entry.file, cat(field, " of ", what, " is not a string"));
  error.hint = "put the value in quotes";
  return error;
}

Result<bool> switch_field(const KubeconfigEntry& entry, std::string_view what,
                          std::string_view field) {
  const auto found = entry.fields.find(field);
  if (found == entry.fields.end() || found->is_null()) return false;
  if (found->is_boolean()) return found->get<bool>();
  return broken(entry.file, cat(field, " of ", what, " is neither true nor false"));
}

std::string names_of(const KubeconfigEntries& entries) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries) {
    if (names.size() == k_names_shown) {
      names.push_back("…");
      break;
    }
    names.push_back(printable_line(name));
  }
  return join(names, ", ");
}

namespace {

// The connection that a pod's service account provides.
constexpr const char* k_token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
constexpr const char* k_namespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
constexpr const char* k_ca = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";

std::string server_url(const Environment& env) {
  const std::string host = env.text("KUBERNETES_SERVICE_HOST");
  const bool v6 = host.find(':') != std::string::npos;
  const std::string shown = v6 ? cat("[", host, "]") : host;
  return cat("https://", shown, ":", env.text("KUBERNETES_SERVICE_PORT"));
}

// True inside a pod: the service's address is in the environment and a token is mounted.
bool in_cluster(Files& files, const Environment& env) {
  return !env.text("KUBERNETES_SERVICE_HOST").empty() &&
         !env.text("KUBERNETES_SERVICE_PORT").empty() && files.exists(k_token);
}

// POD_NAMESPACE, else the mounted namespace, else "".
std::string in_cluster_namespace(Files& files, const Environment& env) {
  const std::string from_env = env.text("POD_NAMESPACE");
  if (!from_env.empty()) return from_env;
  const Result<std::string> mounted = files.read(k_namespace);
  return mounted ? std::string(trim(*mounted)) : "";
}

// The connection; --server, --token and --certificate-authority override its parts.
Result<Connection> in_cluster_connection(Files& files, const Environment& env,
                                         const ConnectionFlags& given) {
  ConnectionFlags flags = given;
  if (flags.server.empty()) flags.server = server_url(env);
  const Inputs inputs{files, env, flags};
  Connection connection;
  connection.in_cluster = true;
  TRY_ASSIGN(ClusterAccess access, make_cluster_access(inputs, Chosen{}));
  // Without a mounted CA, trusts the system's roots, as client-go does.
  const bool trust_given = !flags.certificate_authority.empty() || flags.insecure;
  if (!trust_given && files.exists(k_ca)) {
    TRY_ASSIGN(Pem pem, read_pem_flag(files, k_ca, "service account CA"));
    trust(std::move(pem), access);
  }
  TRY_ASSIGN(connection.auth, make_auth(inputs, Chosen{}, access.plugin_info));
  connection.auth.files.ca = std::move(access.ca_file);
  connection.endpoint = std::move(access.endpoint);
  connection.warnings = std::move(access.warnings);
  if (connection.auth.token.empty()) {
    connection.auth.token_file = k_token;
    connection.auth.source = "the pod's service account";
  }
  return connection;
}

Error not_found(std::string_view what, std::string_view name, std::string_view whose,
                const KubeconfigEntries& known) {
  Error error{Code::usage, cat(what, " \"", printable_line(name), "\"", whose, " does not exist"),
              ""};
  error.hint = known.empty() ? cat("the kubeconfig has no ", what)
                             : cat("the kubeconfig has: ", names_of(known));
  return error;
}

Error nothing_configured(const Kubeconfig& config, const Environment& env) {
  Error error{Code::usage, "", std::string(k_name_a_kubeconfig)};
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

constexpr std::size_t k_large = std::size_t{32} << 10;
struct KubeconfigFile {
  std::string path, text;
  std::optional<FileFacts> facts;
  std::optional<KubeconfigOutline> outline = {};  // of a large file
};

// Reads --kubeconfig, else the list in $KUBECONFIG, else $HOME/.kube/config. Missing files are
// skipped unless the flag names them.
Result<std::vector<KubeconfigFile>> read_kubeconfig_files(Files& files,
                                                          const std::vector<std::string>& paths,
                                                          bool by_flag) {
  std::vector<KubeconfigFile> read;
  read.reserve(paths.size());  // an outline refers to its text
  for (const std::string& path : paths) {
    Result<std::string> text = files.read(path);
    if (!text && text.error().code == Code::not_found) {
      if (!by_flag) continue;
      return Error{Code::usage, cat("kubeconfig ", path, " does not exist"),
                   "name another file with --kubeconfig"};
    }
    if (!text) return broken(path, text.error().message);
    KubeconfigFile& file =
        read.emplace_back(KubeconfigFile{path, *std::move(text), files.facts(path)});
    const bool any_secret_counts = file.facts && file.facts->everybody_reads;
    if (file.text.size() >= k_large && !any_secret_counts) {
      file.outline = KubeconfigOutline::of(file.text);
    }
  }
  return read;
}

using Names = std::set<std::string, std::less<>>;

// Among several files, the first that defines a name supplies the whole entry. With `names`, large
// files may lack entries of other names.
Result<Kubeconfig> merged(const std::vector<KubeconfigFile>& files, const Names* names) {
  Kubeconfig all;
  for (const KubeconfigFile& file : files) {
    const bool in_part = names != nullptr && file.outline;
    TRY_ASSIGN(Kubeconfig config, in_part ? parse_kubeconfig(file.outline->with(*names), file.path)
                                          : parse_kubeconfig(file.text, file.path));
    std::string warning = warning_about(file.path, file.facts, config);
    if (!warning.empty()) all.warnings.push_back(std::move(warning));
    merge(all, std::move(config));
  }
  return all;
}

Names named_entries(const ConnectionFlags& flags, const Kubeconfig& config) {
  const std::string& context = flags.context.empty() ? config.current_context : flags.context;
  Names names = {context, flags.cluster, flags.user};
  const auto found = config.contexts.find(context);
  if (found == config.contexts.end()) return names;
  names.insert(text_at(found->second.fields, "/cluster"));
  names.insert(text_at(found->second.fields, "/user"));
  return names;
}

// The files without entries that nothing names; nullopt when a connection cannot be made of them,
// because the error may speak of any entry.
std::optional<Kubeconfig> merged_in_part(const std::vector<KubeconfigFile>& files,
                                         const ConnectionFlags& flags) {
  Names names = named_entries(flags, {});
  for (;;) {
    Result<Kubeconfig> config = merged(files, &names);
    if (!config) return std::nullopt;
    Names further = named_entries(flags, *config);
    if (further == names) {
      const Result<Selection> selection = select(*config, flags);
      const bool suffices = selection && check_has_cluster(*config, flags, *selection);
      return suffices ? std::optional(*std::move(config)) : std::nullopt;
    }
    names = std::move(further);
  }
}

Result<Kubeconfig> load_kubeconfig(Files& files, const Environment& env,
                                   const ConnectionFlags& flags) {
  const bool by_flag = !flags.kubeconfig.empty();
  std::vector<std::string> paths =
      by_flag ? std::vector<std::string>{flags.kubeconfig} : default_files(env);
  TRY_ASSIGN(const auto read, read_kubeconfig_files(files, paths, by_flag));
  const bool in_part =
      std::ranges::any_of(read, [](const auto& file) { return file.outline.has_value(); });
  std::optional<Kubeconfig> part = in_part ? merged_in_part(read, flags) : std::nullopt;
  if (!part) {
    TRY_ASSIGN(part, merged(read, nullptr));
  }
  part->looked_at = std::move(paths);
  return *std::move(part);
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
  TRY_ASSIGN(const Kubeconfig config, load_kubeconfig(files, env, flags));
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
  const Result<Kubeconfig> config = load_kubeconfig(files, env, flags);
  if (!config) return "default";
  const std::string& name = flags.context.empty() ? config->current_context : flags.context;
  const auto found = config->contexts.find(name);
  const bool known = found != config->contexts.end();
  if (!known && !name.empty()) return "default";
  return choose_namespace(files, env, flags, known ? &found->second : nullptr);
}

bool names_no_cluster(Files& files, const Environment& env) {
  const bool is_named = !env.text("KUBECONFIG").empty();
  if (is_named || !env.text("KUBERNETES_SERVICE_HOST").empty()) return false;
  return std::ranges::none_of(default_files(env),
                              [&files](const std::string& path) { return files.exists(path); });
}

std::string server_host(const Connection& connection) {
  const auto url = net::parse_url(connection.endpoint.base_url);
  return url ? url->host : "";
}

}  // namespace trainctl::kube
