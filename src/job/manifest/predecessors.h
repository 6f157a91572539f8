// The jobs that a job waits for before it starts (--after, --after-ok), in its annotations. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"

namespace trainctl::job {

// Each annotation holds references to jobs, as parse_job_ref reads them, separated by commas.
inline constexpr std::string_view k_after_annotation = "trainctl/after";
inline constexpr std::string_view k_after_ok_annotation = "trainctl/after-ok";

struct Predecessor {
  JobRef job;  // never of a replica
  bool must_succeed = false;

  // "prep to succeed", or "prep to end" for any end.
  std::string words() const { return cat(job.name, must_succeed ? " to succeed" : " to end"); }
};

// The jobs that `job`, a manifest or an object, waits for. Code::usage for an annotation that does
// not name jobs.
Result<std::vector<Predecessor>> predecessors_of(const Json& job);
// Replaces the predecessors that the manifest names; with none, the job waits for no other. Each
// has a kind.
void set_predecessors(Json& manifest, const std::vector<Predecessor>& predecessors);

// True for a suspended job whose annotations name others.
bool waits_for_jobs(const Kind& kind, const Json& job);
// "waits for prep to succeed", "waits for a to end, b to end and for 98 more jobs".
std::string waiting_words(const std::vector<Predecessor>& predecessors);

// The merge patch that suspends or resumes a job. It waits for no other jobs afterwards, since
// nobody may resume what a user has suspended.
Json suspension_patch(const Kind& kind, const Json& job, bool suspend);

}  // namespace trainctl::job
