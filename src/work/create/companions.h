// Creates the config maps, secrets, runtimes and claims of a job, and makes the job the owner of
// all but the claims.
//
// They come before the job, since its pods must find them. An owner is named by its uid, which only
// an existing job has, so ownership comes last. Killed in between, trainctl leaves some text in the
// cluster, and nothing that runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/loop/deadline.h"
#include "base/result.h"
#include "work/access.h"
#include "work/create/create.h"
#include "work/create/manifest.h"
#include "work/create/shared_maps.h"
#include "work/create/transaction.h"

namespace trainctl::work {

// The error for a companion that the server refused: names it, without the data of a secret.
Error companion_refused(const job::Companion& companion, Error why);

class Companions {
 public:
  // All arguments must outlive this. Each created object is recorded in `transaction`. `if_exists`
  // is that of create_job.
  Companions(Access& access, kube::Client& client, const Manifest& manifest,
             const std::string& mark, Transaction& transaction, std::optional<IfExists> if_exists);

  bool any() const { return !manifest_.companions.empty() || !manifest_.earlier.empty(); }

  // Creates all of them, or returns why not: then the transaction holds some. Waits for a name that
  // the garbage collector has yet to free; IfExists::replace also takes the name of an interrupted
  // submission.
  Status create(const std::optional<Deadline>& deadline);
  // Makes the job, which has just been created, their owner.
  Status own(const Json& job);
  // Completes own() for a job whose submit was killed before it could do so.
  void adopt(const Json& job);

  // Call it before the job is deleted for a new one: refuses when a companion's name would stay
  // taken.
  Status check_replaceable(const Json& job);

 private:
  Status create(const job::Companion& companion, const Deadline& deadline);
  bool shares() const;
  Status make_room(const job::Companion& companion, const Json& there, const Deadline& deadline);
  Status await_collector(const job::Companion& companion, const Json& there,
                         const Deadline& deadline);
  Error taken(const job::Companion& companion, const Json& there) const;
  Result<Json> look_up(const kube::Resource& resource, const std::string& name);
  Status remove(const job::Companion& companion, const Json& object);
  void record(const job::Companion& companion, const Json& object);

  Access& access_;
  kube::Client& client_;
  const Manifest& manifest_;
  const std::string& mark_;
  SharedMaps shared_;
  Transaction& transaction_;
  std::optional<IfExists> if_exists_;
  struct Needed {
    const job::Companion* companion;
    Json object;
  };
  std::vector<Needed> needed_;  // those of this submit, and those that others made
};

}  // namespace trainctl::work
