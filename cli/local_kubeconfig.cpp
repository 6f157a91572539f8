// Renders the kubeconfig, and checks the file it is written to.
#include "cli/local_kubeconfig.h"

#include <sys/stat.h>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "base/value/yaml.h"
#include "local/daemon/private_file.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_entry_name = "local";

Json kubeconfig(const Json& facts) {
  const Json cluster = {
      {"server", text_at(facts, "/server")},
      {"certificate-authority-data", base64_encode(text_at(facts, "/certificate"))}};
  const Json user = {{"token", text_at(facts, "/token")}};
  const Json context = {
      {"cluster", k_entry_name}, {"user", k_entry_name}, {"namespace", "default"}};
  return {{"apiVersion", "v1"},
          {"kind", "Config"},
          {"clusters", {{{"name", k_entry_name}, {"cluster", cluster}}}},
          {"users", {{{"name", k_entry_name}, {"user", user}}}},
          {"contexts", {{{"name", k_entry_name}, {"context", context}}}},
          {"current-context", k_entry_name}};
}

// True when an earlier `local up` wrote the file and it contains nothing else.
bool is_ours(const std::string& text) {
  const auto config = from_yaml(text, "kubeconfig");
  return config && array_at(*config, "/clusters").size() == 1 &&
         text_at(*config, "/current-context") == k_entry_name &&
         text_at(*config, "/clusters/0/cluster/server").starts_with("https://127.0.0.1:");
}

}  // namespace

Status check_kubeconfig_target(const Console& console, const std::string& path) {
  if (path.empty()) {
    if (!console.out_is_public) return {};
    return Error{Code::usage,
                 "stdout is a file that other users can read, and the kubeconfig holds a token",
                 "trainctl local up --write FILE makes a file that only you can read"};
  }
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 || facts.st_size == 0) return {};
  if (S_ISREG(facts.st_mode) && is_ours(local::read_private(path))) return {};
  return Error{
      Code::usage,
      cat(printable_line(path), " already exists, and `local up --write` did not create it"),
      "name another file; KUBECONFIG=FILE1:FILE2 merges two"};
}

Status put_kubeconfig(Context& context, const std::string& path, const Json& facts) {
  const std::string text = to_yaml(kubeconfig(facts));
  if (path.empty()) return context.console.out(text);
  TRY(context.files.write_private(path, text));
  context.console.notice(
      cat("wrote ", path, ", which only you can read: export KUBECONFIG=", path));
  return {};
}

}  // namespace trainctl::cli
