// Combines a kubeconfig's cluster and user entries with the flags into the parts of a connection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/result.h"
#include "base/value/json.h"
#include "kube/config/kubeconfig.h"

namespace trainctl::kube {

// An entry chosen by name; `entry` is null when flags alone describe it.
struct Chosen {
  const KubeconfigEntry* entry = nullptr;
  std::string name;

  std::string describe(std::string_view what) const;  // `user "u" in FILE`
};

struct Inputs {
  Files& files;
  const Environment& env;
  const ConnectionFlags& flags;
};

// The result of a cluster's entry and the flags.
struct ClusterAccess {
  net::Endpoint endpoint;
  std::string ca_file;  // file to read the endpoint's CA from again; "" = none
  Json plugin_info;     // cluster information an exec plugin may request
  std::vector<std::string> warnings = {};
};
Result<ClusterAccess> make_cluster_access(const Inputs& inputs, const Chosen& cluster);

Result<AuthInfo> make_auth(const Inputs& inputs, const Chosen& user, const Json& cluster_info);

// Applies the impersonation and token flags to an AuthInfo that came from no kubeconfig.
Status apply_auth_flags(const Inputs& inputs, AuthInfo& auth);

// "trainctl/0.1.0 (linux/amd64)"
std::string user_agent();

// A PEM block, given as a path (`field`) or as base64 (`field`-data), but not both; "" when neither
// is given. Paths are relative to the entry's file.
struct Pem {
  std::string text;
  std::string source;  // `certificate-authority of cluster "c" in FILE`
  std::string file;    // "" when it came from base64
};
Result<Pem> read_pem(Files& files, const Chosen& chosen, std::string_view what,
                     std::string_view field);
// The same from a flag's path, which is relative to the working directory.
Result<Pem> read_pem_flag(Files& files, const std::string& path, std::string_view flag);

// Makes `pem` the endpoint's CA, without the certificates that cannot be read.
void trust(Pem pem, ClusterAccess& access);

// Code::usage when the text would break out of a header line.
Status check_header_text(std::string_view what, std::string_view text);

}  // namespace trainctl::kube
