// THE TABLE of what each use of trainctl requests of the API server, as rules of a Role. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"

namespace trainctl::work {

// The uses of trainctl that need rights of their own.
enum class Use {
  submit,
  follow,
  cancel,  // delete jobs, by command or by a flag of a command that follows
  change,  // suspend, stop, resume, scale
  exec,
  attach,
  forward,
  fetch,
  code,
  claims,  // --pvc-new
  check,
  usage,  // of jobs
};

// The smallest roles of that name for these uses: a Role, and for what has no namespace a
// ClusterRole (NAME-NAMESPACE). With an account of the namespace, also what gives them to it.
std::vector<Json> roles_for(std::span<const Use> uses, const std::string& name,
                            const std::string& ns, const std::string& account = "");

}  // namespace trainctl::work
