// A site's policy for jobs: the images they may use, and the labels they must have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/manifest/companions.h"

namespace trainctl::job {

// The site's configuration file, the only one whose `policy` counts.
inline constexpr std::string_view k_site_file = "/etc/trainctl/config.yaml";

struct AllowedPrefix {
  std::string written;  // "acme/"
  std::string full;     // "docker.io/acme"
};

struct RequiredLabel {
  std::string name;
  std::vector<std::string> values;  // allowed ones; empty = any
};

struct Policy {
  std::vector<AllowedPrefix> registries;  // empty = every image is allowed
  std::vector<RequiredLabel> labels;
};

// The file that holds a policy, for the places in messages.
struct PolicyText {
  std::string_view file;     // its path
  std::string_view content;  // "" = its lines are unknown
};

// Reads the value of `policy`. Code::usage, naming file, line and key, for an unknown key, a wrong
// type, an empty list, a prefix that begins no image's name, a label name or value that Kubernetes
// refuses, and a label that is required twice.
Result<Policy> read_policy(const Json& value, const PolicyText& text);

// Says why the policy forbids the image: "x:1 is not from …"; "" = it is allowed.
std::string image_fault(const Policy& policy, std::string_view image);
// Says why the policy forbids a label's value; "" = it is allowed.
std::string label_fault(const Policy& policy, std::string_view name, std::string_view value);

// Refuses (Code::usage) a job with an image that the policy does not allow, in any container of the
// job or of a runtime beside it, and one whose job or pods lack a required label.
Status check_policy(const Policy& policy, const Kind& kind, const Json& manifest,
                    const std::vector<Companion>& companions);

}  // namespace trainctl::job
