// The differences of the embedded cluster, whose replicas are processes of this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "job/follow/follow_jobs.h"
#include "job/kind/kind.h"

namespace trainctl::work {

struct EnvironmentVariable;

// The addresses that the embedded cluster's kubelet rewrites for a job; empty for a job of another
// cluster, whose programs get the values that their pods state.
struct LocalAddresses {
  std::vector<Json> services;   // of the job's namespace
  Json ports = Json::object();  // of this machine, by "SERVICE:PORT"
};

class EmbeddedCluster {
 public:
  virtual ~EmbeddedCluster() = default;

  // Code::usage for a kind that it does not serve.
  virtual Status check_kind(const job::Kind& kind) const = 0;
  // The ports of this machine that stand for a job's, by "POD:PORT" and "SERVICE:PORT".
  virtual Result<Json> ports(std::string_view job_uid) = 0;
  // The last states of a job's deleted pods whose logs are kept; none when it does not answer.
  virtual std::vector<Json> ended_pods(std::string_view job_uid) = 0;
  // Rewrites the values as the kubelet did for this container, if it has started one.
  virtual void rewrite(const LocalAddresses& addresses, const Json& pod, const Json& container,
                       std::vector<EnvironmentVariable>& variables) const = 0;
  // Returns why none of its jobs makes progress, as "no space left on /home"; "" = nothing known.
  virtual std::string what_hinders() const = 0;
  // Sets the options that differ for a job on this machine: kept logs, repeated crashes, a full
  // disk.
  virtual void set_following(std::string_view job_uid, job::FollowOptions& options) const = 0;
  // True for the verdict of a job that ended because the embedded cluster was stopped.
  virtual bool was_stopped(const Error& verdict) const = 0;
};

}  // namespace trainctl::work
