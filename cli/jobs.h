// Finding the jobs a user means, and how they stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/context.h"
#include "job/kind.h"
#include "job/replica.h"
#include "job/state.h"

namespace trainctl::cli {

struct FoundJob {
  const job::Kind* kind = nullptr;
  Json object;
  std::string replica;  // as named by the user, or the pod that was named; may be ""

  std::string name() const { return text_at(object, "/metadata/name"); }
  std::string ns() const { return text_at(object, "/metadata/namespace"); }
  std::string uid() const { return text_at(object, "/metadata/uid"); }
};

// "pytorchjob.kubeflow.org/NAME", as kubectl prints and reads it.
std::string resource_name(const job::Kind& kind, std::string_view name);

// The jobs of that name: of every kind when the reference names none, then never empty. A pod's
// full name gives its job. Code::not_found with the nearest names as hint.
Result<std::vector<FoundJob>> find_jobs(Context& context, const job::JobRef& ref);
// The one job a text means; Code::usage with the two ways to write it when there are several.
Result<FoundJob> find_job(Context& context, std::string_view text, const job::Kind* kind = nullptr);

struct JobQuery {
  const job::Kind* kind = nullptr;  // null = all
  bool all_namespaces = false;
  std::string labels;
};
// Sorted by namespace and name. Kinds that are not installed are left out, unless none is
// (Code::not_found); so are kinds the user may not list, with a warning.
Result<std::vector<FoundJob>> list_jobs(Context& context, const JobQuery& query);

// The kinds whose jobs this user may list here; never empty.
Result<std::vector<const job::Kind*>> installed_kinds(Context& context, const job::Kind* kind,
                                                      bool all_namespaces);

// How the jobs stand now, with their pods and warning events looked up together.
Result<std::vector<job::JobState>> judge_jobs(Context& context, const std::vector<FoundJob>& jobs);

}  // namespace trainctl::cli
