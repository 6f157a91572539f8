// Creates the config maps, secrets and runtimes of a job's file, and makes the job their owner.
//
// They come before the job, since its pods must find them; only the job's uid can make them its
// own, so that comes last. Killed in between, trainctl leaves some text in the cluster, and nothing
// that runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "cli/context.h"
#include "cli/jobs/manifest.h"
#include "cli/jobs/shared_maps.h"

namespace trainctl::cli {

// The server's refusal of a companion, which it names; without the data of a secret.
Error companion_refused(const job::Companion& companion, Error why);

class CompanionCreation {
 public:
  // All arguments must outlive this.
  CompanionCreation(Context& context, kube::Client& client, const Manifest& manifest,
                    const std::string& mark);

  bool any() const { return !manifest_.companions.empty(); }

  // Creates all of them, or none and an error. A name is waited for while the garbage collector has
  // yet to free it; `replace` takes that of an interrupted submission, too.
  Status create(bool replace, const std::optional<Deadline>& deadline);
  // Makes the job, which has just been created, their owner.
  Status hand_over(const Json& job);
  // Completes a hand_over() that an earlier submit of the job has not lived to do.
  void adopt(const Json& job);
  // Deletes what create() has created, and adds to the error what became of it.
  Error undo(Error why);
  // The same, with a warning of what could not be deleted.
  void take_back();
  // Adds to the error that they stay, for a job that may be there.
  Error keep(Error why) const;

  // Refuses, before the job is deleted for a new one, when one of their names would stay taken.
  Status check_replaceable(const Json& job);

 private:
  Status create(const job::Companion& companion, bool replace, const Deadline& deadline);
  bool shares() const;
  Status make_room(const job::Companion& companion, const Json& there, bool replace,
                   const Deadline& deadline);
  Status await_collector(const job::Companion& companion, const Json& there,
                         const Deadline& deadline);
  Error taken(const job::Companion& companion, const Json& there) const;
  Status own(const job::Companion& companion, const Json& patch);
  Result<Json> look_up(const kube::Resource& resource, const std::string& name);
  Status remove(const job::Companion& companion, const Json& object);
  using Companions = std::vector<const job::Companion*>;
  // Deletes what create() has created; returns what was deleted and what could not be.
  std::pair<Companions, Companions> remove_created();
  std::string deletion_of(const Companions& companions) const;

  Context& context_;
  kube::Client& client_;
  const Manifest& manifest_;
  const std::string& mark_;
  SharedMaps shared_;
  enum class Maker { us, other };
  struct Created {
    const job::Companion* companion;
    Json object;
    Maker maker = Maker::us;
  };
  std::vector<Created> created_;
};

}  // namespace trainctl::cli
