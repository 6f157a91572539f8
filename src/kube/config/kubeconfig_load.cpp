// Reads and merges kubeconfig files by clientcmd's rules.
#include "kube/config/kubeconfig_load.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "base/value/yaml.h"

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

Result<Kubeconfig> load_kubeconfig(Files& files, const Environment& env, const std::string& flag) {
  const bool by_flag = !flag.empty();
  Kubeconfig merged;
  merged.looked_at = by_flag ? std::vector<std::string>{flag} : default_files(env);
  for (const std::string& path : merged.looked_at) {
    Result<std::string> text = files.read(path);
    if (!text && text.error().code == Code::not_found) {
      if (!by_flag) continue;
      return Error{Code::usage, cat("kubeconfig ", path, " does not exist"),
                   "name another file with --kubeconfig"};
    }
    if (!text) return broken(path, text.error().message);
    TRY_ASSIGN(Kubeconfig config, parse_kubeconfig(*text, path));
    std::string warning = warning_about(path, files.facts(path), config);
    if (!warning.empty()) merged.warnings.push_back(std::move(warning));
    merge(merged, std::move(config));
  }
  return merged;
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

}  // namespace trainctl::kube
