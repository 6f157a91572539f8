// Turns a user entry and the credential flags into an AuthInfo with at most one way to
// authenticate.
#include "kube/config/kubeconfig_user.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "base/value/json.h"
#include "base/value/yaml.h"
#include "kube/auth/client_certificate.h"
#include "kube/config/kubeconfig_parts.h"

namespace trainctl::kube {
namespace {

// The policy's path; "" when preferences are switched off or there is nowhere to look.
std::string kuberc_path(const Environment& env) {
  const std::string named = env.text("KUBERC");
  if (named == "off" || lower(env.text("KUBECTL_KUBERC")) == "false") return "";
  if (!named.empty()) return named;
  const std::string home = env.text("HOME");
  return home.empty() ? "" : home + "/.kube/kuberc";
}

// The file that a command name resolves to; "" when there is none.
std::string look_up(Files& files, const Environment& env, const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  for (const std::string& directory : split(env.text("PATH"), ':')) {
    const std::string path = cat(directory.empty() ? "." : directory, "/", command);
    if (files.exists(path)) return path;
  }
  return "";
}

bool allows(Files& files, const Environment& env, const std::string& entry,
            const std::string& command) {
  if (entry == command) return true;
  const std::string allowed = look_up(files, env, entry);
  return !allowed.empty() && allowed == look_up(files, env, command);
}

// Entries use `name` in 1.35 and `command` since 1.36.
std::optional<std::vector<std::string>> read_allowlist(const Json& preferences) {
  std::vector<std::string> entries;
  for (const Json& item : array_at(preferences, "/credentialPluginAllowlist")) {
    std::string entry = text_at(item, "/command");
    if (entry.empty()) entry = text_at(item, "/name");
    if (entry.empty()) return std::nullopt;
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

Status check_plugin_policy(Files& files, const Environment& env, const ExecPlugin& plugin) {
  const std::string path = kuberc_path(env);
  if (path.empty()) return {};
  const Result<std::string> text = files.read(path);
  if (!text && text.error().code == Code::not_found) return {};
  const auto unusable = [&path](std::string_view why) {
    return Error{Code::usage, cat("kuberc ", path, ": ", why),
                 "correct the file, or ignore it with KUBERC=off"};
  };
  if (!text) return unusable(text.error().message);
  const Result<std::vector<Json>> documents = from_yaml_stream(*text, path);
  if (!documents) return documents.error();
  if (documents->empty()) return {};
  const Json& preferences = documents->front();
  const std::string policy = text_at(preferences, "/credentialPluginPolicy");
  const std::optional<std::vector<std::string>> allowed = read_allowlist(preferences);
  const std::string whose = cat("credential plugin ", printable_line(plugin.command));

  if (policy.empty() || policy == "AllowAll") {
    if (allowed && allowed->empty()) return {};
    return unusable("it has a credentialPluginAllowlist, but the policy is not Allowlist");
  }
  if (policy == "DenyAll") {
    return Error{Code::auth, cat(whose, " may not run: the policy in ", path, " is DenyAll"),
                 cat("list it as allowed in ", path, ", or use other credentials")};
  }
  if (policy != "Allowlist") {
    return unusable(cat("credentialPluginPolicy is ", printable_line(policy)));
  }
  if (!allowed || allowed->empty()) {
    return unusable("its credentialPluginAllowlist is empty or has an entry without command");
  }
  const bool listed = std::ranges::any_of(*allowed, [&](const std::string& entry) {
    return allows(files, env, entry, plugin.command);
  });
  if (listed) return {};
  return Error{Code::auth, cat(whose, " is not on the allowlist in ", path),
               "add it there under credentialPluginAllowlist, or use other credentials"};
}

namespace {

Error bad_user(const std::string& whose, std::string_view why, std::string hint = "") {
  return Error{Code::usage, cat(whose, ": ", why), std::move(hint)};
}

// libcurl would notice a mismatch, too, but only while connecting, and without saying which of the
// two is wrong.
Status check_pair(const net::ClientIdentity& identity, const std::string& certificate,
                  const std::string& key) {
  switch (check_identity(identity)) {
    case IdentityFault::none:
      return {};
    case IdentityFault::no_certificate:
      return Error{Code::usage, cat(certificate, " holds no certificate that can be read"), ""};
    case IdentityFault::no_key:
      return Error{Code::usage, cat(key, " holds no private key that can be read"), ""};
    case IdentityFault::encrypted_key:
      return Error{Code::usage, cat(key, " is encrypted"),
                   "remove the key's password: openssl pkey -in KEY -out PLAIN-KEY"};
    case IdentityFault::not_a_pair:
      break;
  }
  return Error{Code::usage, cat(key, " is not the key of ", certificate),
               "give the certificate and the key of one pair"};
}

// Reads certificate and key from the flags or the entry. Every missing file is named in one
// message.
Status read_identity(const Inputs& inputs, const Chosen& user, AuthInfo& auth) {
  const ConnectionFlags& flags = inputs.flags;
  const auto part = [&](const std::string& flag_path, std::string_view flag,
                        std::string_view field) -> Result<Pem> {
    if (!flag_path.empty()) return read_pem_flag(inputs.files, flag_path, flag);
    // A --token replaces the kubeconfig's certificate, which the server would prefer.
    if (!flags.token.empty()) return Pem{};
    return read_pem(inputs.files, user, "user", field);
  };
  Result<Pem> certificate =
      part(flags.client_certificate, "--client-certificate", "client-certificate");
  Result<Pem> key = part(flags.client_key, "--client-key", "client-key");
  if (!certificate && !key) {
    Error both = certificate.error();
    both.message += "; " + key.error().message;
    return both;
  }
  if (!certificate) return std::move(certificate).error();
  if (certificate->text.empty() && flags.client_key.empty()) return {};
  if (certificate->text.empty()) {
    return Error{Code::usage, "--client-key without a client certificate",
                 "add --client-certificate"};
  }
  if (!key) return std::move(key).error();
  if (key->text.empty()) {
    return Error{Code::usage, cat(certificate->source, " comes without a client key"),
                 "add client-key or client-key-data (or --client-key)"};
  }
  net::ClientIdentity identity{std::move(certificate->text), std::move(key->text)};
  TRY(check_pair(identity, certificate->source, key->source));
  auth.identity = std::make_shared<const net::ClientIdentity>(std::move(identity));
  auth.files.certificate = std::move(certificate->file);
  auth.files.key = std::move(key->file);
  return {};
}

Result<ExecPlugin> read_plugin(const Chosen& user, const Json& exec, const Json& cluster_info) {
  const std::string whose = user.describe("user");
  const KubeconfigEntry entry{exec, user.entry->file};
  ExecPlugin plugin;
  TRY_ASSIGN(plugin.api_version, text_field(entry, whose, "apiVersion"));
  TRY_ASSIGN(plugin.command, text_field(entry, whose, "command"));
  TRY_ASSIGN(plugin.install_hint, text_field(entry, whose, "installHint"));
  TRY_ASSIGN(plugin.interactive_mode, text_field(entry, whose, "interactiveMode"));
  TRY_ASSIGN(const bool wants_cluster, switch_field(entry, whose, "provideClusterInfo"));
  if (wants_cluster) plugin.cluster_info = cluster_info;
  if (plugin.command.empty()) return bad_user(whose, "exec has no command");

  const bool v1 = plugin.api_version == "client.authentication.k8s.io/v1";
  if (!v1 && plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return bad_user(whose, cat("exec has the unsupported apiVersion \"", plugin.api_version, "\""),
                    "update the plugin and write client.authentication.k8s.io/v1");
  }
  if (plugin.interactive_mode.empty() && !v1) plugin.interactive_mode = "IfAvailable";
  const std::string& mode = plugin.interactive_mode;
  if (mode.empty()) {
    return bad_user(whose, "exec has no interactiveMode, which v1 requires",
                    "write Never, IfAvailable or Always");
  }
  if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    return bad_user(whose, cat("exec has the interactiveMode \"", mode, "\""),
                    "it must be Never, IfAvailable or Always");
  }
  for (const Json& word : array_at(exec, "/args")) {
    if (!word.is_string()) {
      return bad_user(whose, "an argument of exec is not a string", "put it in quotes");
    }
    plugin.args.push_back(word.get<std::string>());
  }
  for (const Json& variable : array_at(exec, "/env")) {
    const KubeconfigEntry pair{variable, user.entry->file};
    TRY_ASSIGN(std::string name, text_field(pair, whose, "name"));
    TRY_ASSIGN(std::string value, text_field(pair, whose, "value"));
    if (name.empty()) return bad_user(whose, "a variable of exec has no name");
    plugin.env.emplace_back(std::move(name), std::move(value));
  }
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = resolve_path(directory_of(user.entry->file), plugin.command);
  }
  return plugin;
}

Status read_auth_provider(const std::string& whose, const Json& provider, AuthInfo& auth) {
  const std::string name = text_at(provider, "/name");
  if (name == "oidc" && !text_at(provider, "/config/id-token").empty()) {
    auth.token = trim(text_at(provider, "/config/id-token"));
    auth.source = "the auth-provider oidc of " + whose;
    auth.expired_hint =
        "use the exec plugin kubelogin (kubectl oidc-login) instead of auth-provider, which "
        "trainctl cannot refresh";
    return {};
  }
  const std::string why = cat("the auth-provider \"", printable_line(name), "\" is not supported");
  if (name == "oidc") return bad_user(whose, why, "use the exec plugin kubelogin instead");
  if (name == "gcp") return bad_user(whose, why, "use the exec plugin gke-gcloud-auth-plugin");
  if (name == "azure") return bad_user(whose, why, "use Azure's exec plugin kubelogin");
  return bad_user(whose, why, "use an exec plugin instead");
}

Status read_impersonation(const Chosen& user, AuthInfo& auth) {
  const std::string whose = user.describe("user");
  TRY_ASSIGN(auth.as_user, text_field(*user.entry, whose, "as"));
  TRY_ASSIGN(auth.as_uid, text_field(*user.entry, whose, "as-uid"));
  for (const Json& group : array_at(user.entry->fields, "/as-groups")) {
    if (!group.is_string()) return bad_user(whose, "as-groups does not hold strings");
    auth.as_groups.push_back(group.get<std::string>());
  }
  for (const auto& [key, values] : object_at(user.entry->fields, "/as-user-extra").items()) {
    if (!values.is_array()) return bad_user(whose, "as-user-extra does not hold lists");
    for (const Json& value : values) {
      if (!value.is_string()) return bad_user(whose, "as-user-extra does not hold strings");
      auth.as_extra.emplace_back(key, value.get<std::string>());
    }
  }
  return {};
}

Status check_auth(const AuthInfo& auth) {
  const std::string& whose = auth.source;
  TRY(check_header_text(cat("the token of ", whose), auth.token));
  TRY(check_header_text("the user to act as", auth.as_user));
  TRY(check_header_text("the uid to act as", auth.as_uid));
  for (const std::string& group : auth.as_groups) {
    TRY(check_header_text("a group to act as", group));
  }
  for (const auto& [key, value] : auth.as_extra) {
    TRY(check_header_text("an extra field of the user to act as", value));
  }
  const bool more = !auth.as_uid.empty() || !auth.as_groups.empty() || !auth.as_extra.empty();
  if (auth.as_user.empty() && more) {
    return Error{Code::usage, "impersonation with a uid, group or extra field, but without a user",
                 "add --as (or `as` in the kubeconfig)"};
  }
  return {};
}

Status read_methods(const Inputs& inputs, const Chosen& user, const Json& cluster_info,
                    AuthInfo& auth) {
  const KubeconfigEntry& entry = *user.entry;
  const std::string whose = user.describe("user");
  TRY_ASSIGN(const std::string token, text_field(entry, whose, "token"));
  TRY_ASSIGN(auth.token_file, text_field(entry, whose, "tokenFile"));
  TRY_ASSIGN(auth.username, text_field(entry, whose, "username"));
  TRY_ASSIGN(auth.password, text_field(entry, whose, "password"));
  auth.token = trim(token);
  if (!auth.token_file.empty()) {
    auth.token_file = resolve_path(directory_of(entry.file), auth.token_file);
  }
  const bool basic = !auth.username.empty() || !auth.password.empty();
  const bool bearer = !auth.token.empty() || !auth.token_file.empty();
  if (basic && bearer) {
    return bad_user(whose, "more than one authentication method: token and user name",
                    "keep only one");
  }
  const Json* exec = find(entry.fields, "/exec");
  const Json* provider = find(entry.fields, "/auth-provider");
  const bool has_exec = exec != nullptr && exec->is_object();
  const bool has_provider = provider != nullptr && provider->is_object();
  if (has_exec && has_provider) {
    return bad_user(whose, "more than one authentication method: exec and auth-provider",
                    "keep only one");
  }
  if (!inputs.flags.token.empty()) return {};
  if (has_provider && !basic && !bearer) TRY(read_auth_provider(whose, *provider, auth));
  if (!has_exec) return {};
  TRY_ASSIGN(ExecPlugin plugin, read_plugin(user, *exec, cluster_info));
  // Like kubectl, runs a plugin only when no other credential is configured.
  if (basic || bearer || auth.identity != nullptr) return {};
  TRY(check_plugin_policy(inputs.files, inputs.env, plugin));
  auth.exec = std::move(plugin);
  return {};
}

}  // namespace

Status apply_auth_flags(const Inputs& inputs, AuthInfo& auth) {
  const ConnectionFlags& flags = inputs.flags;
  if (!flags.token.empty()) {
    auth.token = trim(flags.token);
    auth.token_file.clear();
    auth.username.clear();
    auth.password.clear();
    auth.exec.reset();
    auth.source = "--token";
  }
  if (!flags.as_user.empty()) auth.as_user = flags.as_user;
  if (!flags.as_uid.empty()) auth.as_uid = flags.as_uid;
  if (!flags.as_groups.empty()) auth.as_groups = flags.as_groups;
  return check_auth(auth);
}

Result<AuthInfo> make_auth(const Inputs& inputs, const Chosen& user, const Json& cluster_info) {
  AuthInfo auth;
  if (user.entry != nullptr) auth.source = user.describe("user");
  TRY(read_identity(inputs, user, auth));
  if (user.entry != nullptr) {
    TRY(read_impersonation(user, auth));
    TRY(read_methods(inputs, user, cluster_info, auth));
  } else if (auth.identity != nullptr) {
    auth.source = "--client-certificate";
  }
  TRY(apply_auth_flags(inputs, auth));
  return auth;
}

namespace {

Result<Pem> checked(Pem pem) {
  if (pem.text.find("-----BEGIN ") != std::string::npos) return pem;
  return Error{Code::usage, cat(pem.source, " is not PEM"),
               "it should begin with -----BEGIN CERTIFICATE----- or the like"};
}

}  // namespace

std::string Chosen::describe(std::string_view what) const {
  const std::string described = cat(what, " \"", printable_line(name), "\"");
  return entry == nullptr ? described : cat(described, " in ", entry->file);
}

Result<Pem> read_pem(Files& files, const Chosen& chosen, std::string_view what,
                     std::string_view field) {
  if (chosen.entry == nullptr) return Pem{};
  const std::string data_field = cat(field, "-data");
  const std::string whose = chosen.describe(what);
  TRY_ASSIGN(const std::string path, text_field(*chosen.entry, whose, field));
  TRY_ASSIGN(const std::string data, text_field(*chosen.entry, whose, data_field));
  if (path.empty() && data.empty()) return Pem{};
  if (!path.empty() && !data.empty()) {
    return Error{Code::usage, cat(whose, " has both ", field, " and ", data_field),
                 "keep one of the two"};
  }
  if (path.empty()) {
    std::optional<std::string> decoded = base64_decode(data);
    Pem pem{decoded.value_or(""), cat(data_field, " of ", whose), ""};
    if (!decoded) return Error{Code::usage, cat(pem.source, " is not base64"), ""};
    return checked(std::move(pem));
  }
  const std::string resolved = resolve_path(directory_of(chosen.entry->file), path);
  Result<std::string> text = files.read(resolved);
  const std::string source = cat(field, " ", resolved, " of ", whose);
  if (!text && text.error().code == Code::not_found) {
    return Error{Code::usage, cat(source, " does not exist"), ""};
  }
  if (!text) return Error{Code::usage, cat(source, ": ", text.error().message), ""};
  return checked(Pem{*std::move(text), source, resolved});
}

Result<Pem> read_pem_flag(Files& files, const std::string& path, std::string_view flag) {
  Result<std::string> text = files.read(path);
  if (!text && text.error().code == Code::not_found) {
    return Error{Code::usage, cat(flag, " ", path, " does not exist"), ""};
  }
  if (!text) return Error{Code::usage, cat(flag, ": ", text.error().message), ""};
  return checked(Pem{*std::move(text), cat(flag, " ", path), path});
}

}  // namespace trainctl::kube
