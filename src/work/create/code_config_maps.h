// The config maps of `--code`, which jobs with the same code share: each job adds itself to their
// owners, so that they go with the last of them.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "manifest/companions.h"
#include "work/access.h"

namespace trainctl::work {

class CodeConfigMaps {
 public:
  // All arguments must outlive this.
  CodeConfigMaps(Access& access, kube::Client& client, const std::string& ns,
                 const std::string& mark)
      : access_(access), client_(client), ns_(ns), mark_(mark) {}

  // Lists the maps of the namespace, without their data. A user who may not list them learns from a
  // refusal which ones exist.
  void look();
  // The one of this name as it was then; null when there was none, or it is about to go.
  const Json* find(const std::string& name) const;

  // Adds an owner to `there`, even if others change its owners meanwhile; creates the map again
  // when it was deleted with its last owner.
  Status own(const job::DependentObject& companion, Json there, const Json& reference);
  // Deletes one that this run has made, unless another job has become its owner.
  Status remove(const job::DependentObject& companion, const Json& made);
  // Makes a job the owner of the maps that hold its code and have no owner: its submit ended
  // between creating the job and handing them over. Failures are left for the next time.
  void adopt(const Json& job);
  // Goes through the maps that submits of this user left without an owner more than an hour ago,
  // which is longer than a submit takes. Maps that jobs record get all these jobs as owners; the
  // others are deleted, unless some jobs cannot be seen. Failures are left for the next time.
  void sweep();

 private:
  bool is_orphan(const Json& object) const;
  void remove_orphan(const Json& object);
  Status make_again(const job::DependentObject& companion, const Json& reference);

  Access& access_;
  kube::Client& client_;
  const std::string& ns_;
  const std::string& mark_;
  std::map<std::string, Json> found_;  // by name: metadata alone
};

// True for an object that holds what its name says, as far as its labels tell.
bool is_shared_map(const Json& object, const job::DependentObject& companion);

}  // namespace trainctl::work
