// Whoever follows a job may be the one to start it, so the request is for one state of the job
// alone: of several followers one succeeds, and a user's change in between wins.
#include "job/follow/release.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "job/status/state.h"

namespace trainctl::job {
namespace {

constexpr Duration k_patience = std::chrono::minutes(5);

enum class Standing { unknown, goes_on, over, failed, lost };

Standing standing_of(const Predecessor& job, const Json& object, bool is_gone) {
  if (object.is_null()) return is_gone ? Standing::lost : Standing::unknown;
  const Phase phase = judge(*job.job.kind, object, {}, {}).phase;
  if (phase == Phase::succeeded) return Standing::over;
  if (phase == Phase::failed) return Standing::failed;
  return is_gone ? Standing::lost : Standing::goes_on;
}

Error never(const std::string& name, const Predecessor& job, Standing standing) {
  return {Code::not_started,
          cat(name, " was not started: ", job.job.name,
              standing == Standing::failed ? " has failed" : " is gone, and has not succeeded",
              "; --after-ok waits for its success"),
          cat("start it all the same: trainctl resume ", name)};
}

}  // namespace

Release::Release(kube::Client& client, const Kind& kind, ReleaseHandlers handlers)
    : client_(client), kind_(kind), handlers_(std::move(handlers)), backoff_(k_patience) {}

void Release::see(const Json& job) {
  if (is_over_) return;
  if (!waits_for_jobs(kind_, job)) {
    awaited_.clear();
    pending_.reset();
    return;
  }
  job_ = job;
  if (awaited_.empty()) return begin();
  look();
}

void Release::cancel() {
  is_over_ = true;
  pending_.reset();
}

void Release::begin() {
  auto predecessors = predecessors_of(job_);
  if (!predecessors) return stop(std::move(predecessors).error());
  const std::string ns = text_at(job_, "/metadata/namespace");
  for (Predecessor& one : *predecessors) {
    if (one.job.kind == nullptr) one.job.kind = &kind_;
    awaited_.push_back(std::make_unique<Awaited>(Awaited{std::move(one), {}, false}));
  }
  for (const auto& one : awaited_) {
    WatchedJobHandlers watched;
    watched.on_change = [this] { look(); };
    watched.on_gone = [this, awaited = one.get()] {
      awaited->is_gone = true;
      look();
    };
    watched.on_trouble = handlers_.on_trouble;
    watched.on_stop = [this, awaited = one.get()](Error error) {
      stop(in_context(cat("waiting for ", awaited->job.job.name), std::move(error)));
    };
    one->watched = std::make_unique<WatchedJob>(client_, *one->job.job.kind, ns, one->job.job.name,
                                                "", Json(), std::move(watched));
  }
}

void Release::look() {
  if (is_over_ || pending_ != nullptr) return;
  for (const auto& one : awaited_) {
    if (one->watched == nullptr) return;
    const Standing standing = standing_of(one->job, one->watched->object(), one->is_gone);
    const bool has_no_success = standing == Standing::failed || standing == Standing::lost;
    if (one->job.must_succeed && has_no_success) return stop(never(name(), one->job, standing));
    if (standing == Standing::unknown || standing == Standing::goes_on) return;
  }
  resume();
}

void Release::resume() {
  const std::string version = text_at(job_, "/metadata/resourceVersion");
  if (version == sent_version_) return;  // the answer to that was that the job has changed
  Json patch = suspension_patch(kind_, job_, false);
  patch["metadata"]["resourceVersion"] = version;
  auto request = kube::merge_patch_request(kind_.resource, text_at(job_, "/metadata/namespace"),
                                           name(), patch);
  if (!request) return stop(std::move(request).error());
  sent_version_ = version;
  pending_ = client_.fetch(*std::move(request),
                           [this](std::variant<Json, kube::Failure> answer) { on_answer(answer); });
}

void Release::on_answer(const std::variant<Json, kube::Failure>& answer) {
  constexpr int k_conflict = 409;
  const auto* refused = std::get_if<kube::Failure>(&answer);
  if (refused == nullptr) return;  // the job's own watch tells that it goes on
  pending_.reset();
  if (refused->refusal.status == k_conflict) return look();
  sent_version_.clear();
  const std::string what = cat("cannot start ", name());
  const bool may_pass = refused->error.code == Code::unreachable;
  const auto delay =
      may_pass ? backoff_.delay_in_trouble(client_.loop().now(), refused->refusal.retry_after)
               : std::nullopt;
  if (!delay) return stop(in_context(what, refused->error));
  handlers_.on_trouble(cat(what, " yet: ", refused->error.message));
  pending_ = client_.loop().after(*delay, [this] {
    pending_.reset();
    look();
  });
}

void Release::stop(Error error) {
  if (std::exchange(is_over_, true)) return;
  handlers_.on_stop(std::move(error));
}

}  // namespace trainctl::job
