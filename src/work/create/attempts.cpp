// An attempt is another run of the job, with its number and without the nodes to avoid.
#include "work/create/attempts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "base/text/text.h"
#include "kube/client/metadata_requests.h"
#include "kube/object/metadata.h"
#include "manifest/check.h"
#include "manifest/companions.h"
#include "manifest/needed_objects.h"
#include "manifest/rerun.h"
#include "status/refusing_nodes.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {
namespace {

Error lost(const job::NeededObject& needed, const FoundJob& job) {
  return {Code::not_found, cat(needed.title(), ", which ", job.name(), " uses, is gone"),
          cat("create it again: ", job::remedy_for_missing(needed, job.ns()))};
}

}  // namespace

Result<std::shared_ptr<const job::JobFile>> read_for_rerun(Access& access, const FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto file = std::make_shared<job::JobFile>();
  file->job = job::rerun_manifest(*job.kind, job.object);
  for (const job::NeededObject& needed : job::needed_objects(file->job)) {
    // Few claims belong to a job: one that is missing or may not be read is the check's concern.
    const bool is_claim = job::is_claim(needed.resource);
    if (!is_claim && !job::goes_with_its_job(needed.resource)) continue;
    auto answer = kube::get_metadata(*client, needed.resource, job.ns(), needed.name);
    if (Json* object = std::get_if<Json>(&answer)) {
      if (kube::has_owner(*object, job.uid())) {
        file->companions.push_back({needed.resource, std::move(*object)});
      }
      continue;
    }
    const Error& error = std::get<kube::Failure>(answer).error;
    if (is_claim && (error.code == Code::not_found || error.code == Code::auth)) continue;
    if (error.code == Code::not_found && needed.need != job::Need::required) continue;
    if (error.code == Code::not_found) return lost(needed, job);
    if (error.code != Code::auth) return error;
    access.console.notice(cat("not permitted to read ", needed.title(), ": if ", job.name(),
                              " owns it, both are deleted together"));
  }
  return std::shared_ptr<const job::JobFile>(std::move(file));
}

namespace {

// A pattern that matches nothing looks like a forgotten cause.
std::string unmatched_words(const job::Failure& failure) {
  if (failure.last_lines.empty()) return ", and no last lines are known that log= could match";
  return cat(", and log= matches none of the last ", plural(std::ssize(failure.last_lines), "line"),
             " of ", failure.replica);
}

constexpr Duration k_first_pause = std::chrono::seconds(10);
constexpr Duration k_longest_pause = std::chrono::minutes(5);

// The node where the last attempt failed, and those that refuse the pods of any job.
Status avoid_bad_nodes(Access& access, const job::Failure& failure, Manifest& manifest) {
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> events = {{kube::k_events, manifest.ns}};
  fetch_together(*client, events);
  std::set<std::string> nodes = {failure.node};
  if (!failure.node.empty()) {
    access.console.notice(cat(failure.replica, " failed on node ", printable_line(failure.node),
                              "; further attempts keep off it"));
  }
  for (const job::RefusingNode& node : job::refusing_nodes(events.front().objects, {})) {
    if (nodes.insert(node.name).second)
      access.console.notice(cat(node.words(), "; further attempts keep off it"));
  }
  nodes.erase("");
  for (const std::string& node : nodes) job::avoid_node(*manifest.kind, manifest.object, node);
  return {};
}

}  // namespace

bool Attempts::decide(const job::FollowResult& result) {
  const Status& verdict = result.outcome.verdict;
  const bool has_failed =
      !verdict && verdict.error().code == Code::job_failed && !result.given_up && !result.deleted();
  goes_on = result.given_up;
  failure = job::failure_of(result.outcome);
  again = has_failed && attempt <= limit && rules.cover(failure);
  return again;
}

std::string Attempts::count() const {
  return cat("attempt ", attempt, " of ", limit + 1);
}

std::string Attempts::reason_to_end(const Status& verdict) const {
  if (verdict || verdict.error().code != Code::job_failed) return "";
  if (attempt > limit) return cat("all ", plural(attempt, "attempt"), " failed");
  if (goes_on) {
    return "not tried again, since the job continues; with --restart-policy Never, it ends at the "
           "first failure";
  }
  if (rules.cover(failure)) return "";
  if (rules.chosen == job::RetryRules::Chosen::by_default) {
    const bool is_known = !failure.causes.empty() || failure.exit_code;
    return cat("not tried again: ", is_known ? failure.words() : "an unknown cause",
               " is no failure of the cluster (", job::infrastructure_causes(),
               "); --retry-on=any tries again after every failure");
  }
  return cat("not tried again: --retry-on does not name the cause, which is ", failure.words(),
             rules.lines.empty() ? "" : unmatched_words(failure));
}

Duration pause_before(long attempt) {
  if (attempt < 3) return {};
  Duration pause = k_first_pause;
  for (long i = 3; i < attempt && pause < k_longest_pause; ++i) pause *= 2;
  return std::min(pause, k_longest_pause);
}

Status mark_first_attempt(Manifest& manifest) {
  // A name of the server's must fit into the same limits.
  const Json again = job::rerun_manifest(*manifest.kind, manifest.object);
  Status fits = job::check_manifest(*manifest.kind, again);
  if (!fits) return in_context("--retry needs a shorter --name", std::move(fits).error());
  job::mark_attempt(*manifest.kind, manifest.object, 1);
  return {};
}

Result<Submission> next_attempt(Access& access, const FoundJob& job, const Attempts& attempts) {
  ManifestSource source;
  source.kind = job.kind;
  source.notices = LocalNotices::omit;
  TRY_ASSIGN(source.earlier, read_for_rerun(access, job));
  TRY_ASSIGN(Manifest manifest, build_manifest(access, source));
  job::mark_attempt(*manifest.kind, manifest.object, static_cast<int>(attempts.attempt));
  // The job that has failed avoids the nodes of those before it.
  if (attempts.avoid_nodes) TRY(avoid_bad_nodes(access, attempts.failure, manifest));
  return Submission::prepare(access, std::move(manifest), {Api::v1, ""}, true);
}

}  // namespace trainctl::work
