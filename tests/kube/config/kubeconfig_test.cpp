// The wrong cluster, user or namespace is the most expensive mistake a kubeconfig can cause.
#include "kube/config/kubeconfig_machine.h"

namespace kubeconfig_test {

TEST_CASE("the plain case: one file gives server, user and namespace") {
  Machine machine(config(k_server, "token: secret", ", namespace: team"));
  const Connection connection = machine.connect();
  CHECK(connection.endpoint.base_url == "https://k.example:6443");
  CHECK(connection.endpoint.user_agent.starts_with("trainctl/"));
  CHECK(connection.auth.token == "secret");
  CHECK(connection.auth.source == "user \"u\" in /home/me/.kube/config");
  CHECK(connection.context == "c");
  CHECK(connection.ns == "team");
  CHECK_FALSE(connection.in_cluster);
}

TEST_CASE("CF-01: a --kubeconfig that does not exist is an error, not a reason to use another") {
  Machine machine(config(k_server, ""));
  machine.variables["KUBECONFIG"] = "/home/me/.kube/config";
  machine.flags.kubeconfig = "/missing";
  CHECK(machine.trouble() == "kubeconfig /missing does not exist");
}

TEST_CASE("CF-04, CF-05: a broken file or a directory in the list is named, never skipped") {
  Machine machine;
  machine.files.files["/a"] = config(k_server, "");
  machine.files.files["/bad"] = "clusters: [";
  machine.files.files["/dir/file"] = "";
  machine.variables["KUBECONFIG"] = "/a:/bad";
  CHECK(has(machine.trouble(), "/bad"));
  machine.variables["KUBECONFIG"] = "/a:/dir";
  CHECK(has(machine.trouble(), "kubeconfig /dir: "));
}

TEST_CASE("CF-07, CF-08: the first file that defines a name wins, whole") {
  Machine machine;
  machine.files.files["/a"] = config(k_server, "token: one");
  machine.files.files["/b"] =
      "current-context: other\nusers: [{name: u, user: {username: al, password: pw}}]\n";
  machine.variables["KUBECONFIG"] = "/a:/b";
  const Connection connection = machine.connect();
  CHECK(connection.context == "c");
  CHECK(connection.auth.token == "one");
  CHECK(connection.auth.username == "");
}

TEST_CASE("CF-10: a name defined twice in one file is an error") {
  for (const char* list : {"clusters", "users", "contexts", "extensions"}) {
    CAPTURE(list);
    CHECK(has(Machine(cat(list, ": [{name: k}, {name: k}]")).trouble(),
              cat("duplicate name \"k\" in ", list)));
  }
}

TEST_CASE("CF-11: a file of another kind is named as what it is") {
  CHECK(has(Machine("kind: Pod").trouble(), "kind is Pod"));
  CHECK(has(Machine("apiVersion: v2").trouble(), "apiVersion is v2"));
  CHECK(has(Machine("- a list").trouble(), "/home/me/.kube/config"));
}

TEST_CASE("CF-13: unknown keys are ignored, JSON is accepted") {
  Machine machine(config(k_server + ", what: ever", "token: t, more: [1]", ", mood: [fine]") +
                  "new: {}\n");
  CHECK(machine.connect().auth.token == "t");
  Machine json(R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k"}}],
                   "clusters":[{"name":"k","cluster":{"server":"https://k"}}]})");
  CHECK(json.connect().endpoint.base_url == "https://k");
}

TEST_CASE("a token YAML reads as a number is refused, because its spelling is lost") {
  Machine machine(config(k_server, "token: 0123"));
  CHECK(has(machine.trouble(), "token of user \"u\""));
  CHECK(has(machine.last_hint, "quotes"));
}

TEST_CASE("CF-14: paths start at their file, whatever the working directory") {
  Machine machine(config(k_server + ", certificate-authority: pki/ca.pem",
                         "client-certificate: u.pem, client-key: ../u.key, tokenFile: tok"));
  machine.files.files["/home/me/.kube/pki/ca.pem"] = k_pem;
  machine.files.files["/home/me/.kube/u.pem"] = k_pem;
  machine.files.files["/home/me/.kube/../u.key"] = k_pem;
  const Connection connection = machine.connect();
  CHECK(connection.endpoint.ca_pem == k_pem);
  CHECK(has(connection.endpoint.ca_source, "/home/me/.kube/pki/ca.pem"));
  CHECK(connection.auth.token_file == "/home/me/.kube/tok");
  REQUIRE(connection.auth.identity);
  CHECK(connection.auth.identity->key_pem == k_pem);
}

TEST_CASE("CF-16, TL-08: --certificate-authority starts at the working directory and wins") {
  Machine machine(config(k_server + ", certificate-authority-data: " + base64_encode(k_pem), ""));
  machine.files.files["rel.pem"] = "-----BEGIN CERTIFICATE-----flag";
  machine.flags.certificate_authority = "rel.pem";
  CHECK(machine.connect().endpoint.ca_pem == "-----BEGIN CERTIFICATE-----flag");
}

TEST_CASE("CF-17: an unknown context is an error that lists the known ones") {
  Machine machine(config(k_server, ""));
  machine.flags.context = "prod";
  CHECK(machine.trouble() == "context \"prod\" does not exist");
  CHECK(machine.last_hint == "the kubeconfig has: c");
  CHECK(Machine("current-context: gone").trouble() ==
        "context \"gone\", the current-context, does not exist");
}

TEST_CASE("CF-19, CF-20: a context's missing cluster or user, or a missing server, is named") {
  const std::string contexts =
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n";
  CHECK(has(Machine(contexts).trouble(), "cluster \"k\" of context \"c\""));
  CHECK(has(Machine(contexts + "clusters: [{name: k, cluster: {server: 'https://k'}}]").trouble(),
            "user \"u\" of context \"c\""));
  CHECK(has(Machine(config("", "")).trouble(),
            "cluster \"k\" in /home/me/.kube/config has no server"));
  Machine flags(config(k_server, ""));
  flags.flags.user = "bob";
  CHECK(flags.trouble() == "user \"bob\" does not exist");
  flags.flags.cluster = "lba";  // is looked for first
  CHECK(flags.trouble() == "cluster \"lba\" does not exist");
}

TEST_CASE("no current-context is an error that offers the contexts, not a guess at localhost") {
  Machine machine("contexts: [{name: dev, context: {cluster: k}}]");
  CHECK(has(machine.trouble(), "no current-context"));
  CHECK(has(machine.last_hint, "dev"));
}

TEST_CASE("CF-22, CF-23: namespace is flag, then context, then default") {
  Machine machine(config(k_server, "", ", namespace: team"));
  CHECK(machine.connect().ns == "team");
  machine.flags.ns = "namespaces/foo";
  CHECK(machine.connect().ns == "foo");
  CHECK(machine.ns() == "foo");
  Machine plain(config(k_server, ""));
  CHECK(plain.connect().ns == "default");
  CHECK(plain.ns() == "default");
}

TEST_CASE("a namespace for a dry run is found without a usable kubeconfig") {
  CHECK(Machine().ns() == "default");
  CHECK(Machine("clusters: [").ns() == "default");
  CHECK(Machine(config("", "", ", namespace: team")).ns() == "team");
  Machine unknown(config(k_server, "", ", namespace: team"));
  unknown.flags.context = "other";
  CHECK(unknown.ns() == "default");
}

TEST_CASE("a kubeconfig that others can use or change is warned about") {
  const std::string path = "/home/me/.kube/config";
  Machine machine(config(k_server, "token: t"));
  CHECK(machine.connect().warnings.empty());
  machine.files.odd_facts[path] = {.is_ours = false};
  REQUIRE(machine.connect().warnings.size() == 1);
  CHECK(has(machine.connect().warnings[0], "belongs to another user"));
  machine.files.odd_facts[path] = {.others_write = true};
  CHECK(has(machine.connect().warnings.at(0), "can be changed by other users"));
  machine.files.odd_facts[path] = {.everybody_reads = true};
  CHECK(has(machine.connect().warnings.at(0), "holds a credential that other users can read"));

  Machine harmless(config(k_server,
                          "exec: {apiVersion: client.authentication.k8s.io/v1, "
                          "command: login, interactiveMode: Never}"));
  harmless.files.odd_facts[path] = {.everybody_reads = true};
  CHECK(harmless.connect().warnings.empty());
}

}  // namespace kubeconfig_test
