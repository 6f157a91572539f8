// Reads and writes the owner where its kind of job has it.
#include "work/find/owner.h"

#include "job/kind/names.h"
#include "job/manifest/render.h"
#include "kube/object/metadata.h"

namespace trainctl::work {

std::string owner_of(const Json& job) {
  const std::string label = text_at(job, kube::label_pointer(job::k_label_owner));
  return label.empty() ? text_at(job, kube::annotation_pointer(job::k_label_owner)) : label;
}

Json with_owner(Json job, const std::string& user) {
  const std::string owner = job::as_label_value(user);
  if (owner.empty() || !owner_of(job).empty()) return job;
  job["metadata"]["annotations"][std::string(job::k_label_owner)] = owner;
  return job;
}

}  // namespace trainctl::work
