// Finds the results of a job: which of its volumes hold a path, and which pod can read them now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manifest/persistent_volumes.h"
#include "work/access.h"
#include "work/session/target.h"

namespace trainctl::work {

struct JobResults {
  FoundPods found;
  job::PodPlan plan;  // of the first role by rank that mounts the paths
  std::vector<std::string> paths;
  std::vector<job::LastingMount> mounts;  // that hold them
};

// `path`: "" = the one volume that outlives the job's pods, or with `every` all of them.
// Code::not_found when the job, or such a volume, is not there; Code::usage when several volumes
// could be meant; Code::refused when the part of the volume depends on the replica.
Result<JobResults> find_results(Access& access, const TargetQuery& query, const std::string& path,
                                bool every);
// A replica that runs with these volumes; nullopt = none does.
std::optional<Target> reader_of(const JobResults& results);
// Returns the node whose directories are mounted; "" = no mount is a directory of a node.
// Code::not_found when the pods that ran there are gone, Code::usage when they ran on several.
Result<std::string> node_of(const JobResults& results);

}  // namespace trainctl::work
