// `trainctl whoami`: shows the cluster in use, the credential presented to it, and the user the
// server sees.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "kube/auth/client_certificate.h"
#include "options/table/choices.h"

namespace trainctl::cli {
namespace {

using kube::AuthInfo;

Json certificate_of(const std::string& pem) {
  Json fields = {{"kind", "clientCertificate"}};
  const auto facts = kube::certificate_facts(pem);
  if (!facts) return fields;
  fields["commonName"] = facts->common_name;
  fields["organizations"] = facts->organizations;
  fields["expires"] = format_time(facts->ends);
  return fields;
}

// Describes how we authenticate to the server; contains nothing that would let somebody impersonate
// us.
Json credentials_of(const kube::Connection& connection) {
  const AuthInfo& auth = connection.auth;
  Json list = Json::array();
  if (!connection.endpoint.base_url.starts_with("https:")) return list;  // nothing is sent
  if (auth.identity) list.push_back(certificate_of(auth.identity->certificate_pem));
  if (auth.exec) {
    list.push_back({{"kind", "execPlugin"}, {"command", auth.exec->command}});
  } else if (connection.in_cluster && !auth.token_file.empty()) {
    list.push_back({{"kind", "serviceAccount"}, {"file", auth.token_file}});
  } else if (!auth.token_file.empty()) {
    list.push_back({{"kind", "tokenFile"}, {"file", auth.token_file}});
  } else if (!auth.token.empty()) {
    list.push_back({{"kind", "token"}, {"from", auth.source}});
  } else if (!auth.username.empty()) {
    list.push_back({{"kind", "basic"}, {"username", auth.username}});
  }
  return list;
}

Json impersonation_of(const AuthInfo& auth) {
  Json fields = {{"user", auth.as_user}};
  if (!auth.as_uid.empty()) fields["uid"] = auth.as_uid;
  if (!auth.as_groups.empty()) fields["groups"] = auth.as_groups;
  return fields;
}

// The facts that are known without asking the server.
Json local_facts(const kube::Connection& connection, bool embedded) {
  Json report = {{"apiVersion", "trainctl/v1"}, {"kind", "Identity"}};
  const auto add = [&report](const char* name, const std::string& value) {
    if (!value.empty()) report[name] = value;
  };
  add("context", connection.context);
  add("cluster", embedded ? "embedded" : connection.cluster);
  add("server", embedded ? connection.endpoint.unix_socket : connection.endpoint.base_url);
  add("user", connection.user);
  report["namespace"] = connection.ns;
  report["credentials"] = credentials_of(connection);
  if (!connection.auth.as_user.empty()) report["actAs"] = impersonation_of(connection.auth);
  return report;
}

// Kubernetes serves v1 since 1.28 and v1beta1 in 1.27.
Result<Json> ask_server(Context& context) {
  TRY_ASSIGN(kube::Client * client, context.client());
  for (const std::string_view version : {"v1", "v1beta1"}) {
    const kube::Resource review{"authentication.k8s.io", version, "selfsubjectreviews",
                                "SelfSubjectReview"};
    const Json question = {{"apiVersion", review.api_version()}, {"kind", review.kind}};
    auto answer = client->create(review, "", question);
    if (Json* found = std::get_if<Json>(&answer)) return object_at(*found, "/status/userInfo");
    kube::Failure& failure = std::get<kube::Failure>(answer);
    if (failure.refusal.status != 404) return std::move(failure.error);
  }
  return Error{
      Code::not_found, cat(client->server(), " does not report who you are"),
      "this needs Kubernetes 1.27 or newer (SelfSubjectReview); trainctl get shows whether the "
      "credential is accepted"};
}

std::string texts(const Json& list) {
  std::vector<std::string> words;
  for (const Json& item : list) words.push_back(item.is_string() ? item.get<std::string>() : "?");
  return join(words, ", ");
}

// A credential for people: "client certificate of ada (O=dev), until 2027-01-01T00:00:00Z".
std::string described(const Json& credential, Time now) {
  const std::string kind = text_at(credential, "/kind");
  if (kind == "execPlugin") return "plugin " + text_at(credential, "/command");
  if (kind == "serviceAccount") return "the pod's service account";
  if (kind == "tokenFile") return "token in " + text_at(credential, "/file");
  if (kind == "token") {
    const std::string from = text_at(credential, "/from");
    return from == "--token" ? "token given by --token" : "token of " + from;
  }
  if (kind == "basic") return "user name and password of " + text_at(credential, "/username");
  std::string text = "client certificate";
  if (!credential.contains("commonName")) return text + " that cannot be read";
  text += cat(" CN=", text_at(credential, "/commonName"));
  for (const Json& group : array_at(credential, "/organizations")) {
    text += ", O=" + group.get<std::string>();
  }
  const std::string expires = text_at(credential, "/expires");
  const auto end = parse_time(expires);
  return text + (end && *end < now ? ", expired " : ", until ") + expires;
}

class Lines {
 public:
  void add(std::string name, const std::string& value) {
    if (value.empty()) return;
    name.resize(12, ' ');
    text_ += cat(name, printable_line(value), '\n');
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string as_lines(const Json& report, Time now) {
  Lines lines;
  lines.add("context", text_at(report, "/context"));
  lines.add("cluster", text_at(report, "/cluster"));
  lines.add("server", text_at(report, "/server"));
  lines.add("user", text_at(report, "/user"));
  for (const Json& credential : array_at(report, "/credentials")) {
    lines.add("credential", described(credential, now));
  }
  if (array_at(report, "/credentials").empty()) lines.add("credential", "none is sent");
  lines.add("acting as", text_at(report, "/actAs/user"));
  lines.add("namespace", text_at(report, "/namespace"));
  lines.add("known as", text_at(report, "/identity/username"));
  lines.add("UID", text_at(report, "/identity/uid"));
  lines.add("groups", texts(array_at(report, "/identity/groups")));
  return lines.text();
}

// Local facts are printed even when the server does not answer, because then they are needed most.
Status run_whoami(options::Format format, Context& context) {
  TRY_ASSIGN(const kube::Connection connection, context.connection());
  Json report = local_facts(connection, context.embedded != nullptr);
  auto identity = ask_server(context);
  if (identity) report["identity"] = *identity;
  TRY(format == options::Format::text ? context.console.out(as_lines(report, context.loop.now()))
                                      : print_data(context, format, report));
  return identity ? Status() : Status(std::move(identity).error());
}

}  // namespace

Runner define_whoami(const Definition& definition) {
  auto format = std::make_shared<options::Format>(options::Format::text);
  const OptionBinder bind(definition.app, definition.name);
  bind("output", *format);
  return [format](Context& context) { return run_whoami(*format, context); };
}

}  // namespace trainctl::cli
