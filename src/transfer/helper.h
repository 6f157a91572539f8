// A short-lived pod of ours that mounts volumes: created, waited for, and removed in any case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "manifest/persistent_volumes.h"
#include "transfer/script.h"
#include "work/access.h"

namespace trainctl::work {

// Deletes the helper pods of this user that nobody needs any more: those that have ended, and those
// whose process on this machine is gone. A pod that cannot be deleted stays for the next time.
void sweep_helpers(Access& access, kube::Client& client, const std::string& ns);

// Returns the node on which a pod must run to mount these volumes, by the access modes of their
// claims and the pods that mount them now; "" = any. Code::not_found for a claim that does not
// exist or has no volume yet, Code::refused for one that a single pod may mount when another pod
// has it.
Result<std::string> node_for(kube::Client& client, const std::string& ns,
                             const std::vector<job::LastingMount>& mounts);

// Completes the order: the pod's name, its user, and the process that creates it.
job::HelperOrder new_order(Access& access, const std::string& ns);

// How the messages about a helper pod name what the user asked for.
struct HelperWords {
  std::string work = "fetch";
  std::string image_flag = "--helper-image";
  std::string late_hint = "--start-timeout waits longer; --helper-image takes another image";
};

class HelperPod {
 public:
  // `shell` runs in the pod's container, and heeds signals.
  HelperPod(Shell& shell, job::HelperOrder order, HelperWords words = {})
      : shell_(shell), order_(std::move(order)), words_(std::move(words)) {}

  // Returns when its container runs. Code::not_started when it will not.
  Status start(Duration patience);
  // Deletes the pod. `status` is the outcome of the work in it: an error there is returned, and a
  // failed deletion is then only a warning.
  Status remove(Status status);

 private:
  Status create();
  Status wait(Duration patience);
  Error late(Duration patience, const std::string& words);

  Shell& shell_;
  job::HelperOrder order_;
  HelperWords words_;
  std::string uid_;
  bool may_be_there_ = false;
};

// The state of the helper pod.
struct HelperStanding {
  bool runs = false;
  std::string words;           // what it waits for; "" = what every pod waits for
  std::optional<Error> error;  // it will never run
};

}  // namespace trainctl::work
