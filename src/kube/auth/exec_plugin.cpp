// Implements the client.authentication.k8s.io protocol.
#include "kube/auth/exec_plugin.h"

#include <map>
#include <utility>

#include "base/text/text.h"
#include "kube/auth/client_certificate.h"
#include "kube/config/kubeconfig_parts.h"

namespace trainctl::kube {

namespace {

Error bad_answer(const ExecPlugin& plugin, std::string_view why) {
  return Error{Code::auth, cat("credential plugin ", printable_line(plugin.command), ": ", why),
               "run the plugin by hand to see what it prints"};
}

// The end of the escape sequence that begins at `at`: colours (ESC [ … letter) and titles (ESC ] …
// BEL or ESC \).
std::size_t escape_end(std::string_view text, std::size_t at) {
  const char kind = at + 1 < text.size() ? text[at + 1] : ' ';
  if (kind == '[') return text.find_first_not_of("0123456789;?", at + 2);
  if (kind != ']') return at;
  const std::size_t end = text.find_first_of("\x07\x1b", at + 2);
  const bool two_bytes = end != std::string_view::npos && text[end] == '\x1b';
  return two_bytes ? end + 1 : end;
}

// Colours and other escape sequences have no place in a hint.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      plain += text[at];
      continue;
    }
    at = escape_end(text, at);
    if (at == std::string_view::npos) break;
  }
  return printable_line(trim(plain));
}

Status check_answered_pair(const ExecPlugin& plugin, const net::ClientIdentity& identity) {
  const IdentityFault fault = check_identity(identity);
  if (fault == IdentityFault::none) return {};
  if (fault == IdentityFault::not_a_pair) {
    return bad_answer(plugin, "its key is not that of its client certificate");
  }
  return bad_answer(plugin, "its client certificate or key cannot be read");
}

Json exec_info(const ExecPlugin& plugin, bool interactive) {
  Json spec{{"interactive", interactive}};
  if (!plugin.cluster_info.is_null()) spec["cluster"] = plugin.cluster_info;
  return Json{{"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", spec}};
}

}  // namespace

Result<ChildSpec> plugin_child(const ExecPlugin& plugin, const Environment& env, bool terminal) {
  if (plugin.interactive_mode == "Always" && !terminal) {
    return Error{Code::auth,
                 cat("credential plugin ", plugin.command,
                     " needs a terminal, and standard input is not one"),
                 "run the command in a terminal, or use non-interactive credentials"};
  }
  ChildSpec spec;
  spec.inherit_stdin = terminal && plugin.interactive_mode != "Never";
  spec.argv.push_back(plugin.command);
  spec.argv.insert(spec.argv.end(), plugin.args.begin(), plugin.args.end());
  std::map<std::string, std::string, std::less<>> variables = env.all();
  for (const auto& [name, value] : plugin.env) variables[name] = value;
  variables["KUBERNETES_EXEC_INFO"] = dump(exec_info(plugin, spec.inherit_stdin));
  spec.environment = Environment(std::move(variables));
  return spec;
}

Result<PluginAnswer> read_plugin_answer(const ExecPlugin& plugin, std::string_view output) {
  const Result<Json> parsed = parse_json(output, "its output");
  // The output may hold a token, so nothing of it is shown.
  if (!parsed || !parsed->is_object()) return bad_answer(plugin, "its output is not a JSON object");
  if (text_at(*parsed, "/kind") != "ExecCredential") {
    return bad_answer(plugin, "its output is not an ExecCredential");
  }
  const std::string version = text_at(*parsed, "/apiVersion");
  if (version != plugin.api_version) {
    return bad_answer(plugin, cat("the kubeconfig asks for ", plugin.api_version,
                                  ", but it answered with ", printable_line(version)));
  }
  if (object_at(*parsed, "/status").empty()) return bad_answer(plugin, "its answer has no status");

  PluginAnswer answer;
  answer.token = text_at(*parsed, "/status/token");
  answer.certificate_pem = text_at(*parsed, "/status/clientCertificateData");
  answer.key_pem = text_at(*parsed, "/status/clientKeyData");
  if (answer.certificate_pem.empty() != answer.key_pem.empty()) {
    return bad_answer(plugin, "its answer has only one of client certificate and key");
  }
  if (!answer.key_pem.empty()) {
    TRY(check_answered_pair(plugin, {answer.certificate_pem, answer.key_pem}));
  }
  if (answer.token.empty() && answer.key_pem.empty()) {
    return bad_answer(plugin, "its answer has neither a token nor a client certificate");
  }
  if (!check_header_text("token", answer.token)) {
    return bad_answer(plugin, "its token holds a line break or control character");
  }
  const std::string expires = text_at(*parsed, "/status/expirationTimestamp");
  if (expires.empty()) return answer;
  answer.expires = parse_time(expires);
  if (!answer.expires) return bad_answer(plugin, "its expirationTimestamp is not a time");
  return answer;
}

Error plugin_missing(const ExecPlugin& plugin) {
  const std::string own_hint = without_escapes(plugin.install_hint);
  return Error{Code::auth,
               cat("credential plugin ", printable_line(plugin.command), " was not found"),
               own_hint.empty() ? "install it, or put its directory on PATH" : own_hint};
}

Error plugin_too_slow(const ExecPlugin& plugin, Duration limit) {
  return {Code::auth,
          cat("credential plugin ", printable_line(plugin.command), " did not finish within ",
              format_age(limit)),
          "run the plugin by hand to see why it waits"};
}

Error plugin_failed(const ExecPlugin& plugin, int status) {
  Error error = bad_answer(plugin, cat("failed with exit code ", status));
  error.hint = "see its message above; log in again as your cluster's provider describes";
  return error;
}

}  // namespace trainctl::kube
