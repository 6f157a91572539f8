// One result of the checks that precede a job's creation.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace trainctl::job {

enum class Prospect {
  passes,
  unknown,   // the user may not read the objects that decide
  may_fail,  // the job may hang or fail unless something changes
  fails,     // the job is certain to be refused, or never to run
};

struct Finding {
  Prospect prospect = Prospect::passes;
  std::string subject;        // "claim data", "nodes"
  std::string message;        // one line, without a full stop
  std::string remedy = {};    // a command, or an imperative; "" for what passes
  Code code = Code::refused;  // the exit status that a failure leads to
};

using Findings = std::vector<Finding>;

}  // namespace trainctl::job
