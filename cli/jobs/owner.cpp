// Reads and writes the owner where its kind of job has it.
#include "cli/jobs/owner.h"

#include "base/text.h"
#include "job/kind/names.h"
#include "job/manifest/render.h"

namespace trainctl::cli {

std::string owner_of(const Json& job) {
  const std::string key = pointer_step(job::k_label_owner);
  const std::string label = text_at(job, cat("/metadata/labels/", key));
  return label.empty() ? text_at(job, cat("/metadata/annotations/", key)) : label;
}

Json with_owner(Json job, const std::string& user) {
  const std::string owner = job::as_label_value(user);
  if (owner.empty() || !owner_of(job).empty()) return job;
  job["metadata"]["annotations"][std::string(job::k_label_owner)] = owner;
  return job;
}

}  // namespace trainctl::cli
