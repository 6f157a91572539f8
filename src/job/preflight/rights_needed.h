// The rights that a run needs, and what is lost without one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/preflight/finding.h"
#include "kube/client/access_review.h"
#include "kube/client/resource.h"

namespace trainctl::job {

struct NeededRight {
  kube::Action action;
  Prospect without;
  std::string_view consequence;
};

// `jobs`: the job's kind.
std::vector<NeededRight> needed_rights(const kube::Resource& jobs);

// Nothing for a right that the user has, or of which the server says nothing (nullopt).
Findings judge_right(const NeededRight& right, std::optional<bool> allowed, const std::string& ns);

}  // namespace trainctl::job
