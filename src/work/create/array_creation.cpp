// Ends at the deadline, and at errors that concern every job.
#include "work/create/array_creation.h"

#include "base/loop/ending_signals.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/text/time.h"
#include "manifest/rerun.h"
#include "work/create/attempts.h"

namespace trainctl::work {
namespace {

// An error that the next member would meet as well.
bool concerns_all(const Error& error) {
  return ending_signal(error.code) != nullptr || error.code == Code::usage ||
         error.code == Code::auth || error.code == Code::unreachable || error.code == Code::timeout;
}

}  // namespace

Result<std::vector<Submission>> prepare_members(Access& access, std::vector<Manifest> members,
                                                const ApiChoice& choice, bool for_a_cluster) {
  std::vector<Submission> submissions;
  for (Manifest& member : members) {
    TRY_ASSIGN(Submission submission,
               Submission::prepare(access, std::move(member), choice, for_a_cluster));
    submissions.push_back(std::move(submission));
  }
  return submissions;
}

namespace {

// The same code is sent to a claim once.
void share_code(const std::vector<Manifest>& others, Manifest& member) {
  const auto& first = others.empty() ? nullptr : others.front().for_claim;
  if (first && member.for_claim && first->code.digest == member.for_claim->code.digest) {
    member.for_claim = first;
  }
}

}  // namespace

Result<JobArray> rerun_of_all(Access& access, ManifestSource source, const std::string& name,
                              const std::vector<FoundJob>& jobs) {
  JobArray again{name, {}};
  for (const FoundJob& job : jobs) {
    TRY_ASSIGN(source.earlier, read_for_rerun(access, job));
    TRY_ASSIGN(Manifest member, build_manifest(access, source));
    source.notices = LocalNotices::omit;
    share_code(again.members, member);
    job::name_after_run(member.object, job.uid());
    again.members.push_back(std::move(member));
  }
  return again;
}

std::optional<FoundJob> ArrayCreation::next() {
  const std::optional<Deadline>& deadline = access_.deadline;
  const bool is_late = deadline && deadline->is_over(access_.loop.now());
  if (is_late && at_ > 0) give_up(timed_out(*deadline));
  const LimitedCalls limited(access_);
  while (at_ < submissions_.size()) {
    Submission& submission = submissions_[at_++];
    auto made = steps_.create(submission);
    if (made) {
      existing_.push_back(made->name());
      return *std::move(made);
    }
    Error why = std::move(made).error();
    failed_.push_back(text_at(submission.manifest().object, "/metadata/name"));
    if (concerns_all(why)) tell_how_to_resume(why);
    why = steps_.refused(submission.manifest(), std::move(why));
    if (concerns_all(why)) give_up(why);
  }
  return std::nullopt;
}

// The same line would be refused, because some of its jobs exist by now.
void ArrayCreation::tell_how_to_resume(Error& why) const {
  if (existing_.empty() || ending_signal(why.code) != nullptr) return;
  std::vector<std::string> untried;
  for (std::size_t i = at_; i < submissions_.size(); ++i) {
    untried.push_back(text_at(submissions_[i].manifest().object, "/metadata/name"));
  }
  access_.console.notice(cat("the array is incomplete; existing: ", some_of(existing_),
                             "; failed: ", some_of(failed_),
                             untried.empty() ? "" : "; not tried: ", some_of(untried)));
  // An unreachable cluster's own hint is about one job, or about an address that worked before.
  const std::string first = why.code == Code::unreachable ? "" : why.hint;
  why.hint = cat(first, first.empty() ? "" : "\n",
                 "run the same line again with --if-exists=attach: it creates the missing jobs");
}

void ArrayCreation::give_up(const Error& why) {
  end_ = why;
  const auto left = static_cast<long>(submissions_.size() - at_);
  // tell_how_to_resume() has told it after a refusal.
  if (left > 0 && (why.code == Code::timeout || ending_signal(why.code) != nullptr)) {
    access_.console.notice(cat(plural(left, "job"), left == 1 ? " was" : " were",
                               " not created: the same line with --if-exists=attach goes on"));
  }
  for (; at_ < submissions_.size(); ++at_) steps_.left_out(submissions_[at_].manifest(), why);
}

}  // namespace trainctl::work
