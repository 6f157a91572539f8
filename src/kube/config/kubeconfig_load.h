// Loads kubeconfig files: which ones are read, and how several are merged.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/result.h"
#include "base/value/json.h"

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

// Loads --kubeconfig, else the list in $KUBECONFIG, else $HOME/.kube/config. Among several files,
// the first that defines a name supplies the whole entry. Missing files are skipped unless the flag
// names them; broken ones never are.
Result<Kubeconfig> load_kubeconfig(Files& files, const Environment& env, const std::string& flag);

// Reads a field that must be a string ("" when absent) or a boolean (false when absent). The error
// names the file and, through `what`, the entry: `user "u"`.
Result<std::string> text_field(const KubeconfigEntry& entry, std::string_view what,
                               std::string_view field);
Result<bool> switch_field(const KubeconfigEntry& entry, std::string_view what,
                          std::string_view field);

// "a, b, c" (the first 20), for hints.
std::string names_of(const KubeconfigEntries& entries);

}  // namespace trainctl::kube
