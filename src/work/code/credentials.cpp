// The names are written as ignore rules are.
#include "work/code/credentials.h"

#include "base/text/text.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_names =
    ".env\n.env.*\n*.env\n!.env.example\n!.env.sample\n!.env.template\n!example.env\n"
    "*.pem\n*.key\n*.p12\n*.pfx\n*.jks\n*.keystore\n*.kdbx\n*.ppk\n"
    "id_rsa\nid_dsa\nid_ecdsa\nid_ecdsa_sk\nid_ed25519\nid_ed25519_sk\n"
    ".netrc\n_netrc\n.pgpass\n.htpasswd\n.git-credentials\n.pypirc\n.s3cfg\n.boto\n"
    "kubeconfig\nkubeconfig.y*ml\nkubeconfig.json\nkubeconfig.conf\n*.kubeconfig\n**/.kube/config\n"
    "credentials*.json\nclient_secret*.json\nservice-account*.json\nservice_account*.json\n"
    "application_default_credentials.json\nkaggle.json\n.dockercfg\n**/.docker/config.json\n"
    "**/.aws/credentials\n**/.aws/config\n**/huggingface/token\n**/.huggingface/token\n"
    "**/gh/hosts.yml\n.vault-token\n.*_history\n";

}  // namespace

CredentialNames::CredentialNames() {
  rules_.add(k_names);
}

bool CredentialNames::hold(std::string_view path) const {
  return rules_.leaves_out_itself(lower(path), false);
}

}  // namespace trainctl::work
