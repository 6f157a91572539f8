// A kuberc that forbids a credential plugin must keep it from running, also when it is misspelt.

#include "kube/config/kubeconfig_user.h"

#include "kube/config/kubeconfig_machine.h"

namespace kubeconfig_user_test {

struct Policy {
  MemoryFiles files;
  std::map<std::string, std::string, std::less<>> variables = {{"HOME", "/home/me"},
                                                               {"PATH", "/bin:/opt/bin"}};

  explicit Policy(const std::string& text) {
    files.files["/home/me/.kube/kuberc"] = text;
    files.files["/bin/aws"] = "";
    files.files["/opt/bin/login"] = "";
  }
  Status check(const std::string& command) {
    ExecPlugin plugin;
    plugin.command = command;
    return check_plugin_policy(files, Environment(variables), plugin);
  }
  Code code_for(const std::string& command) {
    const Status status = check(command);
    return status ? Code::ok : status.error().code;
  }
};

std::string allowing(const std::string& entries) {
  return cat("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: ", entries);
}

TEST_CASE("without a policy every plugin runs, as it does with kubectl") {
  CHECK(Policy("").check("aws"));
  CHECK(Policy("aliases: []\n").check("aws"));
  CHECK(Policy("credentialPluginPolicy: AllowAll\n").check("aws"));
  Policy none("");
  none.files.files.clear();
  CHECK(none.check("aws"));
}

TEST_CASE("DenyAll keeps every plugin from running, until the preferences are switched off") {
  Policy policy("credentialPluginPolicy: DenyAll\n");
  CHECK(policy.code_for("aws") == Code::auth);
  policy.variables["KUBERC"] = "off";
  CHECK(policy.check("aws"));
  policy.variables.erase("KUBERC");
  policy.variables["KUBECTL_KUBERC"] = "false";
  CHECK(policy.check("aws"));
}

TEST_CASE("KUBERC names another file than the one at home") {
  Policy policy("credentialPluginPolicy: DenyAll\n");
  policy.files.files["/etc/kuberc"] = "credentialPluginPolicy: AllowAll\n";
  policy.variables["KUBERC"] = "/etc/kuberc";
  CHECK(policy.check("aws"));
}

TEST_CASE("an allowlist lets run what it names by name or by path, and nothing else") {
  Policy policy(allowing("[{name: aws}, {command: /opt/bin/login}]"));
  CHECK(policy.check("aws"));
  CHECK(policy.check("/bin/aws"));
  CHECK(policy.check("login"));
  CHECK(policy.check("/opt/bin/login"));
  CHECK(policy.code_for("/tmp/aws") == Code::auth);
  CHECK(policy.code_for("other") == Code::auth);
}

TEST_CASE("a policy that cannot be understood never allows") {
  CHECK(Policy("credentialPluginPolicy: Denyall\n").code_for("aws") == Code::usage);
  CHECK(Policy("credentialPluginPolicy: Allowlist\n").code_for("aws") == Code::usage);
  CHECK(Policy(allowing("[]")).code_for("aws") == Code::usage);
  CHECK(Policy(allowing("[{path: /bin/aws}]")).code_for("aws") == Code::usage);
  const Status unused = Policy("credentialPluginAllowlist: [{name: aws}]\n").check("aws");
  REQUIRE_FALSE(unused);
  CHECK(unused.error().code == Code::usage);
  CHECK(unused.error().message ==
        "kuberc /home/me/.kube/kuberc: it has a credentialPluginAllowlist, but the policy is not "
        "Allowlist");
  CHECK(Policy("credentialPluginPolicy: [").code_for("aws") == Code::usage);
}

}  // namespace kubeconfig_user_test
