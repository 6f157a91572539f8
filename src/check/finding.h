// The vocabulary of the checks before a job's creation: results, amounts as text, predicted pods.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value/json.h"
#include "manifest/amounts.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

enum class Severity {
  passes,
  unchecked,  // the user may not ask for what decides
  unknown,    // nobody can say before the job runs
  may_fail,   // the job may hang or fail unless something changes
  fails,      // the job is certain to be refused, or never to run
};

struct Finding {
  Severity severity = Severity::passes;
  std::string subject;        // "claim data", "nodes"
  std::string message;        // one line, without a full stop
  std::string remedy = {};    // a command, or an imperative; "" for what passes
  Code code = Code::refused;  // the exit status that a failure leads to
  std::string right = {};     // that an unchecked one needs, as "list nodes"; "" = something else
};

using Findings = std::vector<Finding>;

// The amount for people: "8", "500m", "16Gi".
std::string amount_text(std::string_view resource, std::int64_t thousandths);

// The pods that the training operator will make of a job, one for each role. Pure.
struct PredictedPod {
  std::string role;  // as in the names of replicas: "worker"
  int count = 0;     // of its role
  Json pod;          // as it is sent to the server, but under a generated name and without an owner
};

// Empty for a kind whose pods come from a runtime that trainctl does not read.
std::vector<PredictedPod> predicted_pods(const Kind& kind, const Json& job);

}  // namespace trainctl::job
