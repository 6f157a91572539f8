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
  usage,  // of jobs; that of nodes needs a ClusterRole
};

// The smallest Role of that name for these uses.
Json role_for(std::span<const Use> uses, const std::string& name, const std::string& ns);
// Gives the Role to a service account of its namespace.
Json binding_for(const std::string& role, const std::string& account, const std::string& ns);

}  // namespace trainctl::work
