// Asks the history first; else a keyed digest of name, lineage and program decides, so that the
// steps of a pipeline need to share only the key.
#include "work/find/lineage.h"

#include <algorithm>
#include <set>

#include "base/environment.h"
#include "base/file/sha256.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "manifest/array.h"
#include "manifest/node_rights.h"
#include "manifest/rerun.h"
#include "status/judgement.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_most_named_claims = 3;

std::string key_path(const Environment& environment) {
  const std::string state = is_homeless(environment) ? "" : state_directory(environment);
  return state.empty() ? "" : state + "/lineage.key";
}

// "" = there is none, or others could have written it.
std::string known_key(Access& access) {
  const std::string given = access.environment.text(k_lineage_key_variable);
  const std::string path = key_path(access.environment);
  if (!given.empty() || path.empty()) return given;
  const OpenedFile* file = access.files.pin(path);
  const bool is_private = file != nullptr && file->facts.is_regular && file->facts.is_ours &&
                          !file->facts.others_write && !file->facts.everybody_reads;
  return is_private && file->content ? std::string(trim(*file->content)) : "";
}

std::string proof_of(const Access& access, const std::string& key, const job::Kind& kind,
                     const std::string& ns, const Json& job) {
  const auto label = [&job](std::string_view name) {
    return text_at(job, kube::label_pointer(name));
  };
  const auto annotation = [&job](std::string_view name) {
    return text_at(job, kube::annotation_pointer(name));
  };
  const std::vector<std::string> facts = {access.cluster_identity(),
                                          ns,
                                          std::string(kind.resource.kind),
                                          text_at(job, "/metadata/name"),
                                          label(job::k_label_array),
                                          label(job::k_label_array_index),
                                          annotation(job::k_array_size_annotation),
                                          annotation(job::k_rerun_annotation),
                                          annotation(job::k_rerun_uid_annotation),
                                          dump(job::program_of_pods(kind, job))};
  return hmac_sha256_hex(key, join(facts, std::string(1, '\0')));
}

long index_of(const FoundJob& job) {
  const std::string index = text_at(job.object, kube::label_pointer(job::k_label_array_index));
  return parse_number<long>(index).value_or(0);
}

}  // namespace

// If two commands make the file at once, the later key stays; the history knows the other's jobs.
std::string user_key(Access& access) {
  std::string key = known_key(access);
  const std::string path = key_path(access.environment);
  if (!key.empty() || path.empty() || access.files.exists(path)) return key;
  key = access.unique_id();
  key += access.unique_id();
  return access.files.write(path, key + '\n', Readers::owner) ? key : "";
}

namespace {

// True for a member of an array, for another run of a job, and for one of several attempts.
bool has_lineage(const job::Kind& kind, const Json& job) {
  return job::attempt_of(kind, job) ||
         !text_at(job, kube::label_pointer(job::k_label_array)).empty() ||
         !text_at(job, kube::annotation_pointer(job::k_rerun_annotation)).empty();
}

}  // namespace

Json with_proof(Access& access, const job::Kind& kind, const std::string& ns, Json job,
                const std::string& unique) {
  if (!has_lineage(kind, job)) return job;
  const std::string key = user_key(access);
  if (key.empty()) return job;
  Json& metadata = job["metadata"];
  if (text_at(metadata, "/name").empty()) {
    metadata["name"] = text_at(metadata, "/generateName").substr(0, kube::k_generated_stem) +
                       kube::generated_tail(unique);
  }
  metadata["annotations"][std::string(job::k_lineage_annotation)] =
      proof_of(access, key, kind, ns, job);
  return job;
}

bool has_proof(Access& access, const FoundJob& job) {
  if (access.embedded) return true;  // it serves this user alone
  if (access.history) {
    const auto known = access.history->has_submitted(job.uid());
    if (known && *known) return true;
  }
  const std::string key = known_key(access);
  return !key.empty() && text_at(job.object, kube::annotation_pointer(job::k_lineage_annotation)) ==
                             proof_of(access, key, *job.kind, job.ns(), job.object);
}

std::string words_for_claims(const std::vector<std::string>& names, std::string_view what) {
  const bool is_one = names.size() == 1;
  const auto count = static_cast<long>(names.size());
  return cat(names.size() > k_most_named_claims ? plural(count, "job") : join(names, ", "),
             is_one ? " claims to be " : " claim to be ", what, ", but ", is_one ? "was" : "were",
             " not submitted from here");
}

Result<std::vector<FoundJob>> own_members(Access& access, const std::string& array,
                                          std::vector<FoundJob> claiming) {
  std::vector<FoundJob> own;
  std::vector<std::string> others;
  for (FoundJob& job : claiming) {
    if (!has_proof(access, job)) {
      others.push_back(job.name());
    } else {
      own.push_back(std::move(job));
    }
  }
  const std::string what = cat("of array ", array);
  if (own.empty()) {
    return Error{Code::not_found, words_for_claims(others, what),
                 cat("if you trust whoever submitted ", others.size() == 1 ? "it" : "them",
                     ", choose by label: trainctl wait -l ", job::k_label_array, '=', array)};
  }
  if (!others.empty()) access.notice_once(cat(words_for_claims(others, what), ": ignored"));
  std::ranges::stable_sort(own, {}, index_of);
  return own;
}

namespace {

std::string first_run(const FoundJob& job) {
  return text_at(job.object, kube::annotation_pointer(job::k_rerun_annotation));
}

// Those of `jobs` that are runs of this one, or runs of such runs, the oldest first. Pure.
std::vector<const FoundJob*> runs_of(const FoundJob& job, const std::vector<FoundJob>& jobs) {
  std::set<std::string> names = {job.name()}, uids = {job.uid()};
  std::vector<const FoundJob*> runs;
  for (bool grows = true; grows;) {
    grows = false;
    for (const FoundJob& other : jobs) {
      // An older job was a run of a namesake that is gone.
      const std::string uid =
          text_at(other.object, kube::annotation_pointer(job::k_rerun_uid_annotation));
      const bool is_run = other.kind == job.kind && other.created() >= job.created() &&
                          names.contains(first_run(other)) && (uid.empty() || uids.contains(uid));
      if (!is_run || !names.insert(other.name()).second) continue;
      uids.insert(other.uid());
      runs.push_back(&other);
      grows = true;
    }
  }
  std::ranges::stable_sort(runs, {}, [](const FoundJob* run) { return run->created(); });
  return runs;
}

}  // namespace

std::vector<FoundJob> attempts_after(Access& access, const FoundJob& job) {
  if (!job::attempt_of(*job.kind, job.object)) return {};
  auto jobs = list_jobs(access, {job.kind, false, ""});
  if (!jobs) return {};
  std::erase_if(*jobs, [&](const FoundJob& other) {
    return first_run(other).empty() || !job::attempt_of(*other.kind, other.object) ||
           !has_proof(access, other);
  });
  std::vector<FoundJob> attempts;
  for (const FoundJob* run : runs_of(job, *jobs)) attempts.push_back(*run);
  return attempts;
}

FoundJob latest_attempt(Access& access, FoundJob job) {
  auto attempts = attempts_after(access, job);
  if (attempts.empty()) return job;
  FoundJob& last = attempts.back();
  access.notice_once(cat(last.name(), " is attempt ",
                         job::attempt_of(*last.kind, last.object).value_or(1), " at ", job.name(),
                         ", and the last"));
  return std::move(last);
}

std::optional<LaterRun> find_later_run(Access& access, const FoundJob& job) {
  auto jobs = list_jobs(access, {job.kind, false, ""});
  if (!jobs) return std::nullopt;
  std::vector<std::string> claiming;
  std::erase_if(*jobs, [&](const FoundJob& other) {
    const std::string first = first_run(other);
    if (first.empty() || has_proof(access, other)) return false;
    if (first == job.name()) claiming.push_back(other.name());
    return true;
  });
  if (!claiming.empty()) {
    access.notice_once(
        cat(words_for_claims(claiming, cat("another run of ", job.name())), ": ignored"));
  }
  const auto runs = runs_of(job, *jobs);
  if (runs.empty()) return std::nullopt;
  const FoundJob& newest = *runs.back();
  return LaterRun{newest.name(), job::judge(*newest.kind, newest.object, {}, {}).phase};
}

std::string words_of(const LaterRun& later) {
  const std::string phase = lower(job::phase_name(later.phase));
  return cat("was submitted again as ", later.name, ", which ",
             job::is_final(later.phase) ? "has " : "is ", phase);
}

}  // namespace trainctl::work
