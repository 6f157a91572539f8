// Creates the config maps, secrets, runtimes and claims of a job, and makes the job the owner of
// all but the claims.
//
// They come before the job, since its pods must find them. An owner is named by its uid, which only
// an existing job has, so ownership comes last. Killed in between, trainctl leaves some text in the
// cluster, and nothing that runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/loop/wait_limit.h"
#include "base/result.h"
#include "work/access.h"
#include "work/create/code_config_maps.h"
#include "work/create/create.h"
#include "work/create/manifest.h"

namespace trainctl::work {

// The objects that one submit creates: all of them stay, or all are deleted again.
class Transaction {
 public:
  // `access` must outlive this. `ns`: of the objects, for the commands that delete what is left.
  Transaction(Access& access, std::string ns) : access_(access), ns_(std::move(ns)) {}

  // Deletes one object again. Succeeds when it is gone, or when others need it by now.
  using Undo = std::function<Status()>;
  // Records an object that the job needs. `title`: "configmap/settings", as kubectl takes it.
  void add(std::string title, Undo undo) { beside_.push_back({std::move(title), std::move(undo)}); }
  // Records an object that may have been made: no answer said whether.
  void add_uncertain(std::string title) { uncertain_.push_back(std::move(title)); }
  // Records the job itself: as long as it stays, so does what it needs.
  void add_job(std::string title, Undo undo) { job_ = Object{std::move(title), std::move(undo)}; }

  // Deletes the job, and then what it needs, each within ten seconds and regardless of the
  // command's limit. Adds the outcome to the error; its hint is then the command that deletes what
  // is left.
  Error roll_back(Error why);
  // The same for a caller who has no error to report: warns of what is left.
  void roll_back();
  // Adds to the error that the created objects stay, because the job may exist.
  Error leave(Error why) const;

 private:
  struct Object {
    std::string title;
    Undo undo;
  };
  struct Titles {
    std::vector<std::string> deleted, left;
  };
  LimitedCalls limits();
  Titles undo_all();
  std::string deletion_of(const std::vector<std::string>& titles) const;

  Access& access_;
  std::string ns_;
  std::vector<Object> beside_;
  std::vector<std::string> uncertain_;
  std::optional<Object> job_;
};

// The error for a companion that the server refused: names it, without the data of a secret.
Error companion_refused(const job::DependentObject& companion, Error why);

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
  Status create();
  // Makes the job, which has just been created, their owner.
  Status own(const Json& job);
  // Completes own() for a job whose submit was killed before it could do so.
  void adopt(const Json& job);

  // Call it before the job is deleted for a new one: refuses when a companion's name would stay
  // taken.
  Status check_replaceable(const Json& job);

 private:
  Status create(const job::DependentObject& companion, const Deadline& deadline);
  bool shares() const;
  Status make_room(const job::DependentObject& companion, const Json& there,
                   const Deadline& deadline);
  Status await_collector(const job::DependentObject& companion, const Json& there,
                         const Deadline& deadline);
  Error taken(const job::DependentObject& companion, const Json& there) const;
  Result<Json> look_up(const kube::Resource& resource, const std::string& name);
  Status remove(const job::DependentObject& companion, const Json& object);
  void record(const job::DependentObject& companion, const Json& object);

  Access& access_;
  kube::Client& client_;
  const Manifest& manifest_;
  const std::string& mark_;
  CodeConfigMaps shared_;
  Transaction& transaction_;
  std::optional<IfExists> if_exists_;
  struct Needed {
    const job::DependentObject* companion;
    Json object;
  };
  std::vector<Needed> needed_;  // those of this submit, and those that others made
};

}  // namespace trainctl::work
