// Several commands may follow a job, and each may start it. The request is for one state of the job
// alone, so that one of them succeeds and a user's change in between wins.
#include "job/follow/release.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "job/status/state.h"

namespace trainctl::job {
namespace {

constexpr Duration k_patience = std::chrono::minutes(5);
constexpr Duration k_replacing = std::chrono::seconds(2);  // from a deletion to the next creation

enum class Standing { unknown, goes_on, over, failed, lost };

Standing standing_of(const Predecessor& job, const Json& object, bool is_gone) {
  if (object.is_null()) return is_gone ? Standing::lost : Standing::unknown;
  const Phase phase = judge(*job.job.kind, object, {}, {}).phase;
  if (phase == Phase::succeeded) return Standing::over;
  if (phase == Phase::failed) return Standing::failed;
  return is_gone ? Standing::lost : Standing::goes_on;
}

Error never_starts(const std::string& name, const Predecessor& job, Standing standing) {
  return {
      Code::not_started,
      cat(name, " was not started: ", job.job.name,
          standing == Standing::failed ? " has failed" : " is gone, and was never seen to succeed",
          "; --after-ok waits for its success"),
      cat("start the job anyway: trainctl resume ", name)};
}

}  // namespace

Release::Release(kube::Client& client, const Kind& kind, ReleaseHandlers handlers,
                 std::vector<std::string> waiting)
    : client_(client),
      kind_(kind),
      handlers_(std::move(handlers)),
      waiting_(std::move(waiting)),
      backoff_(k_patience) {}

void Release::see(const Json& job) {
  if (is_over_) return;
  if (waits_for_jobs(kind_, job)) {
    job_ = job;
    return awaited_.empty() ? begin() : look();
  }
  const bool is_held = !awaited_.empty() && true_at(job, kind_.controller.suspend);
  if (is_held) {
    return stop({Code::removed, cat("job ", name(), " was suspended while it was followed"),
                 cat("to continue: trainctl resume ", name())});
  }
  awaited_.clear();
  pending_.reset();
}

void Release::cancel() {
  is_over_ = true;
  pending_.reset();
  for (const auto& one : awaited_) {
    if (one->release) one->release->cancel();
  }
}

void Release::begin() {
  auto predecessors = predecessors_of(job_);
  if (!predecessors) return stop(std::move(predecessors).error());
  waiting_.push_back(name());
  for (Predecessor& one : *predecessors) {
    if (one.job.kind == nullptr) one.job.kind = &kind_;
    if (std::ranges::find(waiting_, one.job.name) != waiting_.end()) {
      return stop({Code::not_started, cat(join(waiting_, ", "), ": these jobs wait for each other"),
                   cat("start one of them: trainctl resume ", one.job.name)});
    }
    awaited_.push_back(std::make_unique<Awaited>());
    awaited_.back()->job = std::move(one);
  }
  for (const auto& one : awaited_) watch(*one, true);
}

// A name stands for the job that has it: when one goes, another one may take its place.
void Release::watch(Awaited& awaited, bool may_be_replaced) {
  WatchedJobHandlers watched;
  watched.on_change = [this, &awaited] { look_at(awaited); };
  watched.on_gone = [this, &awaited, may_be_replaced] {
    const bool has_ended =
        standing_of(awaited.job, awaited.watched->object(), true) != Standing::lost;
    const bool existed = !awaited.watched->object().is_null();
    if (has_ended || !(existed || may_be_replaced)) {
      awaited.is_gone = true;
      return look();
    }
    awaited.successor = client_.loop().after(k_replacing, [this, &awaited] {
      awaited.release.reset();
      watch(awaited, false);
    });
  };
  watched.on_trouble = handlers_.on_trouble;
  watched.on_stop = [this, &awaited](Error error) {
    stop(in_context(cat("waiting for ", awaited.job.job.name), std::move(error)));
  };
  awaited.watched = std::make_unique<WatchedJob>(
      client_, *awaited.job.job.kind, text_at(job_, "/metadata/namespace"), awaited.job.job.name,
      "", Json(), std::move(watched));
}

void Release::look_at(Awaited& awaited) {
  const Kind& kind = *awaited.job.job.kind;
  const Json& object = awaited.watched->object();
  if (!awaited.release && waits_for_jobs(kind, object)) {
    ReleaseHandlers handlers{handlers_.on_trouble, [this](Error error) {
                               error.message =
                                   cat(name(), " was not started, since ", error.message);
                               stop(std::move(error));
                             }};
    awaited.release = std::make_unique<Release>(client_, kind, std::move(handlers), waiting_);
  }
  if (awaited.release) awaited.release->see(object);
  look();
}

void Release::look() {
  if (is_over_ || pending_ != nullptr) return;
  for (const auto& one : awaited_) {
    if (one->watched == nullptr) return;  // the first ones report while the others are made
    const Standing standing = standing_of(one->job, one->watched->object(), one->is_gone);
    const bool has_no_success = standing == Standing::failed || standing == Standing::lost;
    if (one->job.must_succeed && has_no_success)
      return stop(never_starts(name(), one->job, standing));
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
  if (refused == nullptr) return;  // the job's own watch shows that it continues
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
