// Finds the state of the existing job, and who created it.
#include "cli/jobs/namesakes.h"

#include "base/text.h"
#include "base/time.h"

namespace trainctl::cli {
namespace {

std::string phase_of(Context& context, const FoundJob& job) {
  const auto states = judge_jobs(context, {job});
  return states ? std::string(job::phase_name(states->front().phase)) : "";
}

}  // namespace

std::string describe_namesake(Context& context, const FoundJob& job) {
  std::string text = phase_of(context, job);
  const auto created = parse_time(text_at(job.object, "/metadata/creationTimestamp"));
  if (created) {
    text += cat(text.empty() ? "" : ", ", "created ", format_age(context.loop.now() - *created),
                " ago");
  }
  const std::string owner = text_at(job.object, "/metadata/labels/trainctl~1owner");
  if (!owner.empty()) text += cat(" by ", owner);
  return printable_line(text);
}

}  // namespace trainctl::cli
