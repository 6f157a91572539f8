// Reads and writes the annotations, and words what a job waits for.
#include "job/manifest/predecessors.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_most_named = 2;  // jobs in a sentence

std::string annotation(const Json& job, std::string_view key) {
  return text_at(job, kube::annotation_pointer(key));
}

Status add(std::string_view text, bool must_succeed, std::vector<Predecessor>& predecessors) {
  if (text.empty()) return {};
  for (const std::string& part : split(text, ',')) {
    TRY_ASSIGN(JobRef ref, parse_job_ref(part));
    if (!ref.replica.empty()) {
      return Error{Code::usage, cat("'", printable_line(part), "' names a replica, not a job"),
                   cat("--after ", ref.name)};
    }
    predecessors.push_back({std::move(ref), must_succeed});
  }
  return {};
}

}  // namespace

Result<std::vector<Predecessor>> predecessors_of(const Json& job) {
  std::vector<Predecessor> predecessors;
  TRY(add(annotation(job, k_after_annotation), false, predecessors));
  TRY(add(annotation(job, k_after_ok_annotation), true, predecessors));
  return predecessors;
}

void set_predecessors(Json& manifest, const std::vector<Predecessor>& predecessors) {
  Json& annotations = manifest["metadata"]["annotations"];
  if (!annotations.is_object()) annotations = Json::object();
  const auto write = [&](std::string_view key, bool must_succeed) {
    std::vector<std::string> names;
    for (const Predecessor& one : predecessors) {
      if (one.must_succeed == must_succeed) {
        names.push_back(cat(version_name(*one.job.kind), '/', one.job.name));
      }
    }
    if (names.empty()) {
      annotations.erase(std::string(key));
    } else {
      annotations[std::string(key)] = join(names, ",");
    }
  };
  write(k_after_annotation, false);
  write(k_after_ok_annotation, true);
  if (annotations.empty()) manifest["metadata"].erase("annotations");
}

bool waits_for_jobs(const Kind& kind, const Json& job) {
  const bool names_any = !annotation(job, k_after_annotation).empty() ||
                         !annotation(job, k_after_ok_annotation).empty();
  return names_any && true_at(job, kind.controller.suspend);
}

std::string waiting_words(const std::vector<Predecessor>& predecessors) {
  if (predecessors.size() == 1) return cat("waits for ", predecessors.front().words());
  std::vector<std::string> names;
  for (const Predecessor& one : predecessors) {
    if (names.size() < k_most_named) names.push_back(one.words());
  }
  const auto more = static_cast<long>(predecessors.size() - names.size());
  if (more == 0) return cat("waits for ", join(names, " and for "));
  return cat("waits for ", join(names, ", "), " and for ", plural(more, "more job"));
}

Json suspension_patch(const Kind& kind, const Json& job, bool suspend) {
  Json patch = Json::object();
  set_at(patch, kind.controller.suspend, suspend);
  for (const std::string_view key : {k_after_annotation, k_after_ok_annotation}) {
    if (annotation(job, key).empty()) continue;
    patch["metadata"]["annotations"][std::string(key)] = nullptr;
  }
  return patch;
}

}  // namespace trainctl::job
