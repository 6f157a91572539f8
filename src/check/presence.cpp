// Judges the objects that a job's pods name: do they exist, and have what the pods need?
#include <algorithm>

#include "base/text/text.h"
#include "check/judges.h"
#include "kube/object/metadata.h"
#include "manifest/companions.h"

namespace trainctl::job {
namespace {

bool has_key(const Json& object, const std::string& key) {
  for (const char* data : {"/data", "/binaryData", "/stringData"}) {
    if (find(object, cat(data, '/', pointer_step(key))) != nullptr) return true;
  }
  return false;
}

}  // namespace

Findings judge_missing(const NeededObject& needed, const std::string& ns) {
  const std::string where = needed.is_namespaced() ? cat(" in namespace ", ns) : "";
  if (needed.need == Need::image_pull) {
    return {{Severity::may_fail, needed.title(),
             cat("does not exist", where, ": images are pulled without its credentials"),
             remedy_for_missing(needed, ns), Code::not_found}};
  }
  return {{Severity::fails, needed.title(), cat("does not exist", where),
           remedy_for_missing(needed, ns), Code::not_found}};
}

Findings judge_present(const NeededObject& needed, const Json& object) {
  std::vector<std::string> missing;
  for (const std::string& key : needed.keys) {
    if (!has_key(object, key)) missing.push_back(printable_line(key));
  }
  if (missing.empty()) return {{Severity::passes, needed.title(), "exists"}};
  return {{Severity::fails, needed.title(), cat("has no key ", join(missing, ", ")),
           "add the key, or name one that it has", Code::not_found}};
}

namespace {

// A claim that no volume is bound to yet; nothing for one that its first pod binds.
Findings judge_pending(const std::string& subject, const Json& claim,
                       const std::vector<Json>* storage_classes) {
  const std::string name = text_at(claim, "/spec/storageClassName");
  const std::string see = cat("kubectl describe pvc ", text_at(claim, "/metadata/name"));
  if (name.empty()) {
    return {{Severity::may_fail, subject, "no volume is bound to it, and it has no storage class",
             see, Code::not_started}};
  }
  if (storage_classes == nullptr) {
    return {{Severity::unknown, subject, "no volume is bound to it yet", see, Code::not_started}};
  }
  const auto found = std::ranges::find_if(*storage_classes, [&name](const Json& one) {
    return text_at(one, "/metadata/name") == name;
  });
  if (found == storage_classes->end()) {
    return {{Severity::may_fail, subject,
             cat("no volume is bound to it, and there is no storage class ", printable_line(name)),
             see, Code::not_started}};
  }
  if (text_at(*found, "/volumeBindingMode") == "WaitForFirstConsumer") return {};
  return {{Severity::may_fail, subject, "no volume is bound to it yet", see, Code::not_started}};
}

}  // namespace

int mounts_of(const std::vector<PredictedPod>& pods, const std::string& claim) {
  int mounts = 0;
  for (const PredictedPod& each : pods) {
    if (mounts_claim(each.pod, claim)) mounts += each.count;
  }
  return mounts;
}

Findings judge_claim(const Json& claim, int mounts, const std::vector<Json>* storage_classes) {
  const std::string subject = printable_line(title_of(k_claims, text_at(claim, "/metadata/name")));
  const std::string phase = text_at(claim, "/status/phase");
  if (kube::is_being_deleted(claim)) {
    return {{Severity::fails, subject, "it is being deleted: no new pod may mount it",
             "name another claim with --pvc", Code::not_found}};
  }
  if (phase == "Lost") {
    return {{Severity::fails, subject, "its volume is gone", "name another claim with --pvc",
             Code::not_found}};
  }
  const bool anywhere = is_for_many_nodes(claim);
  if (is_for_one_pod(claim) && !anywhere && mounts > 1) {
    return {{Severity::fails, subject,
             cat("one pod at a time may mount it (ReadWriteOncePod), but ", mounts,
                 " replicas mount it"),
             "mount a claim with ReadWriteMany, or give one role a claim of its own"}};
  }
  Findings findings =
      phase == "Pending" ? judge_pending(subject, claim, storage_classes) : Findings();
  if (!anywhere && mounts > 1) {
    findings.push_back({Severity::may_fail, subject,
                        cat("one node at a time may mount it (ReadWriteOnce), but ", mounts,
                            " replicas mount it: all of them must fit on one node"),
                        "mount a claim with ReadWriteMany", Code::not_started});
  }
  if (findings.empty()) findings.push_back({Severity::passes, subject, "can be mounted"});
  return findings;
}

Findings judge_own_claim(const Json& claim, const Kind& kind, std::string_view job) {
  for (const Json& owner : array_at(claim, "/metadata/ownerReferences")) {
    if (kind_of(owner) == &kind && text_at(owner, "/name") == job) return {};
  }
  return {{Severity::fails, cat("claim ", text_at(claim, "/metadata/name")),
           "exists already, and would be deleted with this job",
           "name a claim that does not exist, or leave out delete-with-job to use this one"}};
}

}  // namespace trainctl::job
