// Credentials, TLS and pods in kubeconfigs: the wrong one would send a secret astray.
#include "kube/config/kubeconfig_machine.h"

namespace kubeconfig_auth_test {

TEST_CASE("CF-25: a certificate as file and as data is an error") {
  const std::string data = base64_encode(k_pem);
  Machine both(config(k_server, "client-certificate: /u.pem, client-certificate-data: " + data));
  CHECK(has(both.trouble(), "both client-certificate and client-certificate-data"));
  Machine ca(config(k_server + ", certificate-authority: /a, certificate-authority-data: x", ""));
  CHECK(has(ca.trouble(), "both certificate-authority and certificate-authority-data"));
}

TEST_CASE("CF-28: missing certificate and key are both named at once") {
  Machine machine(config(k_server, "client-certificate: /no.pem, client-key: /no.key"));
  const std::string trouble = machine.trouble();
  CHECK(has(trouble, "/no.pem"));
  CHECK(has(trouble, "/no.key"));
}

TEST_CASE("CF-29, CF-34: two ways to authenticate are refused instead of guessed at") {
  CHECK(has(Machine(config(k_server, "token: t, username: al, password: pw")).trouble(),
            "more than one authentication method"));
  CHECK(has(Machine(config(k_server, "exec: {command: x}, auth-provider: {name: oidc}")).trouble(),
            "more than one authentication method: exec and auth-provider"));
}

TEST_CASE("CF-31: CA data that is no PEM or no base64 is named") {
  CHECK(has(Machine(config(k_server + ", certificate-authority-data: aGVsbG8=", "")).trouble(),
            "is not PEM"));
  CHECK(has(Machine(config(k_server + ", certificate-authority-data: '%%'", "")).trouble(),
            "is not base64"));
}

TEST_CASE("CF-32: impersonating a group without a user is refused, from file or flag") {
  CHECK(has(Machine(config(k_server, "as-groups: [g]")).trouble(), "without a user"));
  Machine flags(config(k_server, "token: t"));
  flags.flags.as_groups = {"g"};
  CHECK(has(flags.trouble(), "without a user"));
  CHECK(has(flags.last_hint, "add --as"));
  flags.flags.as_user = "al";
  CHECK(flags.connect().auth.as_groups == std::vector<std::string>{"g"});
}

TEST_CASE("CF-35: a token's line break at the end is dropped, one inside cannot forge a header") {
  CHECK(Machine(config(k_server, R"(token: "t\n")")).connect().auth.token == "t");
  CHECK(has(Machine(config(k_server, R"(token: "t\r\nX-Evil: 1")")).trouble(), "token"));
  CHECK(has(Machine(config(k_server, R"(as: "al\nX: 1")")).trouble(), "line break"));
}

TEST_CASE("EX-20: --token is used instead of every credential in the file") {
  Machine machine(
      config(k_server,
             "tokenFile: /tok, exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
             "interactiveMode: Never}, client-certificate-data: " +
                 base64_encode(k_pem) + ", client-key-data: " + base64_encode(k_pem)));
  machine.flags.token = "flag";
  const Connection connection = machine.connect();
  CHECK(connection.auth.token == "flag");
  CHECK(connection.auth.token_file == "");
  CHECK_FALSE(connection.auth.exec);
  CHECK(connection.auth.identity == nullptr);
}

TEST_CASE("EX-07: a plugin's protocol, mode, command and variables are checked") {
  const auto exec = [](const std::string& fields) {
    return config(k_server, "exec: {apiVersion: client.authentication.k8s.io/" + fields + "}");
  };
  CHECK(has(Machine(exec("v1, command: p")).trouble(), "interactiveMode"));
  CHECK(has(Machine(exec("v1, command: p, interactiveMode: Sometimes")).trouble(), "Sometimes"));
  CHECK(has(Machine(exec("v1alpha1, command: p")).trouble(), "v1alpha1"));
  CHECK(has(Machine(exec("v1, interactiveMode: Never")).trouble(), "no command"));
  CHECK(has(Machine(exec("v1, interactiveMode: Never, command: p, env: [{value: v}]")).trouble(),
            "no name"));
}

TEST_CASE("EX-02: a plugin that asks for it gets the cluster, CA and extension included") {
  Machine machine(config(
      k_server + ", certificate-authority: /ca, tls-server-name: n, disable-compression: true, "
                 "extensions: [{name: other, extension: {level: 1}}, {name: "
                 "client.authentication.k8s.io/exec, extension: {audience: a}}]",
      "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: p, "
      "provideClusterInfo: true}"));
  machine.files.files["/ca"] = k_pem;
  const Json info = machine.connect().auth.exec->cluster_info;
  CHECK(text_at(info, "/server") == "https://k.example:6443");
  CHECK(text_at(info, "/tls-server-name") == "n");
  CHECK(base64_decode(text_at(info, "/certificate-authority-data")) == k_pem);
  CHECK(info.value("disable-compression", false));
  CHECK(text_at(info, "/config/audience") == "a");
}

TEST_CASE("removed auth providers are refused with the plugin that replaces them") {
  Machine gcp(config(k_server, "auth-provider: {name: gcp}"));
  CHECK(has(gcp.trouble(), "\"gcp\""));
  CHECK(has(gcp.last_hint, "gke-gcloud-auth-plugin"));
  Machine oidc(config(k_server, "auth-provider: {name: oidc, config: {id-token: jwt}}"));
  CHECK(oidc.connect().auth.token == "jwt");
}

TEST_CASE("TL-05, TL-07: --server clears the file's TLS name, --insecure… the file's CA") {
  Machine machine(config(k_server + ", tls-server-name: n, certificate-authority: /ca", ""));
  machine.files.files["/ca"] = k_pem;
  CHECK(machine.connect().endpoint.tls_server_name == "n");
  machine.flags.server = "https://other:1/prefix/";
  CHECK(machine.connect().endpoint.tls_server_name == "");
  CHECK(machine.connect().endpoint.base_url == "https://other:1/prefix");
  machine.flags.insecure = true;
  CHECK(machine.connect().endpoint.insecure);
  CHECK(machine.connect().endpoint.ca_pem == "");
  machine.flags.certificate_authority = "/ca";
  CHECK(has(machine.trouble(), "cannot be used together"));
  CHECK(has(Machine(config(k_server +
                               ", insecure-skip-tls-verify: true, "
                               "certificate-authority-data: " +
                               base64_encode(k_pem),
                           ""))
                .trouble(),
            "insecure-skip-tls-verify"));
}

TEST_CASE("TL-14: a server without scheme is refused, so that no token can travel in the clear") {
  Machine machine(config("server: '127.0.0.1:6443'", "token: t"));
  CHECK(has(machine.trouble(), "no scheme"));
  CHECK(has(machine.last_hint, "https://127.0.0.1:6443"));
  CHECK(has(Machine(config("server: 'ftp://k'", "")).trouble(), "ftp://k"));
}

TEST_CASE("a scheme in capitals is the same scheme, by which credentials are sent") {
  CHECK(
      Machine(config("server: HTTPS://K.example:6443/", "token: t")).connect().endpoint.base_url ==
      "https://K.example:6443");
  Machine machine(config(k_server, "token: t"));
  machine.flags.server = "Https://other:1";
  CHECK(machine.connect().endpoint.base_url == "https://other:1");
}

TEST_CASE("a certificate that cannot be read is skipped with a warning, as Go does") {
  const std::string bad = "-----BEGIN CERTIFICATE-----\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----\n";
  const std::string good(k_pem.substr(0, k_pem.find("-----BEGIN EC")));
  for (const std::string& bundle : {bad + good, good + bad}) {
    Machine own(config(k_server + ", certificate-authority: /ca", ""));
    own.files.files["/ca"] = bundle;
    CHECK(own.connect().endpoint.ca_pem == good);
    REQUIRE(own.connect().warnings.size() == 1);
    CHECK(has(own.connect().warnings[0], "certificate-authority /ca of cluster"));

    Machine system(config(k_server, ""));
    system.files.files["/bundle"] = bundle;
    system.variables["SSL_CERT_FILE"] = "/bundle";
    CHECK(system.connect().endpoint.ca_pem == good);
    CHECK(has(system.connect().warnings.at(0), "/bundle has certificates that cannot be read"));
    system.files.files["/bundle"] = good + good;
    CHECK(system.connect().endpoint.ca_pem == "");
    CHECK(system.connect().warnings.empty());
  }
}

TEST_CASE("a pipe in SSL_CERT_FILE is not waited for, whatever --timeout says") {
  Machine machine(config(k_server, ""));
  machine.files.files["/pipe"] = "";
  machine.files.odd_facts["/pipe"] = {.is_regular = false};
  machine.variables["SSL_CERT_FILE"] = "/pipe";
  bool was_read = false;
  machine.files.on_read = [&was_read](const std::string& path) { was_read |= path == "/pipe"; };
  CHECK(machine.connect().endpoint.system_trust.file == "/pipe");
  CHECK_FALSE(was_read);
}

TEST_CASE("only a machine without any configuration names no cluster") {
  Machine machine;
  const auto names_none = [&machine] {
    return names_no_cluster(machine.files, Environment(machine.variables));
  };
  CHECK(names_none());
  machine.variables["KUBECONFIG"] = "/mistyped";
  CHECK_FALSE(names_none());
  machine.variables = {{"HOME", "/home/me"}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}};
  CHECK_FALSE(names_none());
  machine.variables = {{"HOME", "/home/me"}};
  machine.files.files["/home/me/.kube/config"] = "";
  CHECK_FALSE(names_none());
}

TEST_CASE("certificate-authority-data may be YAML's binary, whose text is base64") {
  const std::string twice = base64_encode(base64_encode(k_pem));
  Machine machine(config(k_server + ", certificate-authority-data: !!binary " + twice, ""));
  CHECK(machine.connect().endpoint.ca_pem == k_pem);
}

TEST_CASE("nothing configured is one line that says where was looked") {
  Machine machine;
  CHECK(machine.trouble() == "no kubeconfig found: looked in /home/me/.kube/config");
  CHECK(has(machine.last_hint, "KUBECONFIG"));
  machine.variables["KUBECONFIG"] = "/a:/b";
  CHECK(has(machine.trouble(), "/a, /b"));
  machine.variables.erase("HOME");
  CHECK(has(machine.trouble(), "/a, /b"));
  machine.variables.clear();
  CHECK(has(machine.trouble(), "HOME is not set"));
  CHECK(has(machine.trouble(), "KUBECONFIG"));
}

TEST_CASE("--server alone is enough to connect") {
  Machine machine;
  machine.flags.server = "http://localhost:8001";
  CHECK(machine.connect().endpoint.base_url == "http://localhost:8001");
  CHECK(machine.connect().ns == "default");
}

TEST_CASE("IC-07: in a pod the namespace is flag, then POD_NAMESPACE, then the service account's") {
  Machine machine = pod();
  CHECK(machine.connect().ns == "team-ns");
  CHECK(machine.ns() == "team-ns");
  machine.variables["POD_NAMESPACE"] = "env-ns";
  CHECK(machine.connect().ns == "env-ns");
  machine.flags.ns = "flag-ns";
  CHECK(machine.connect().ns == "flag-ns");
}

TEST_CASE("IC-02: a kubeconfig beats the pod's account, a broken one does not fall through") {
  Machine machine = pod();
  machine.files.files["/home/me/.kube/config"] = config(k_server, "token: t");
  CHECK_FALSE(machine.connect().in_cluster);
  machine.files.files["/home/me/.kube/config"] = "clusters: [";
  CHECK(has(machine.trouble(), "/home/me/.kube/config"));
  machine.files.files["/home/me/.kube/config"] = "";  // an empty file is no configuration
  CHECK(machine.connect().in_cluster);
}

TEST_CASE("IC-04, IC-05: half a pod is no pod") {
  for (const char* name : {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
    CAPTURE(name);
    Machine half = pod();
    half.variables[name] = "";
    CHECK(has(half.trouble(), "no kubeconfig found"));
    half.variables.erase(name);
    CHECK(has(half.trouble(), "no kubeconfig found"));
  }
  Machine no_token = pod();
  no_token.files.files.erase("/var/run/secrets/kubernetes.io/serviceaccount/token");
  CHECK(has(no_token.trouble(), "service account, which has no token"));
}

TEST_CASE("IC-08: an IPv6 service address is bracketed") {
  Machine machine = pod();
  machine.variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  CHECK(machine.connect().endpoint.base_url == "https://[fd00::1]:443");
}

TEST_CASE("--request-timeout is checked before anything else is touched") {
  Machine machine(config(k_server, ""));
  machine.flags.request_timeout = "5";
  CHECK(machine.connect().request_timeout == std::chrono::seconds(5));
  machine.flags.request_timeout = "0";
  CHECK(machine.connect().request_timeout == Duration::zero());
  machine.flags.request_timeout = "";
  CHECK_FALSE(machine.connect().request_timeout);
  machine.flags.request_timeout = "soon";
  CHECK(has(machine.trouble(), "--request-timeout"));
}

TEST_CASE("parse_kubeconfig survives whatever stands in a file") {
  for (const char* text : {"", "# nothing\n", "---\n", "null", "1", "clusters: 1", "clusters: [1]",
                           "clusters: [{name: [1]}]", "clusters: [{name: k, cluster: 1}]",
                           "users: {a: b}", "current-context: {}", "a: b\n---\nc: d"}) {
    CAPTURE(text);
    const auto parsed = parse_kubeconfig(text, "f");
    if (!parsed) CHECK(parsed.error().code == Code::usage);
  }
}

}  // namespace kubeconfig_auth_test
