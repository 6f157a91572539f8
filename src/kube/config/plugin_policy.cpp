// Implements AllowAll, DenyAll and Allowlist as kubectl 1.35 and later read them.
#include "kube/config/plugin_policy.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/yaml.h"

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

}  // namespace trainctl::kube
