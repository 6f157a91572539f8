// Looks inside with what following knows of the job, so that no request precedes the probes.
#include "cli/output/stall.h"

#include <utility>

#include "base/text/text.h"
#include "cli/output/hint.h"
#include "job/stacks/diagnosis.h"
#include "view/stack_report.h"
#include "work/session/look_inside.h"

namespace trainctl::cli {

job::StallRules stall_rules(Context& context, const work::FoundJob& job,
                            const std::string& container, const options::WaitFlags& flags) {
  job::StallRules rules;
  if (flags.stall && *flags.stall > Duration{}) rules.after = flags.stall;
  rules.act = flags.on_stall;
  rules.advice = with_cluster_flags(cat("trainctl doctor ", job.name()), context);
  rules.looks_at_end = !flags.result_file.empty();
  rules.look = [&context, kind = job.kind, container](
                   const Json& object, std::span<const Json> pods, Duration longest, auto on_end) {
    const auto show = [&context, on_end](const work::InsideLook& look) {
      const job::Diagnosis diagnosis = job::diagnose(look.members);
      if (diagnosis.situation == job::Situation::not_seen) return on_end(work::unseen(look));
      on_end(job::InsidePage{view::inside_screen(look, diagnosis, viewer_of(context)),
                             view::bounded_inside_report(look, diagnosis)});
    };
    return work::start_look(context, {{kind, object, ""}, {pods.begin(), pods.end()}}, container,
                            longest, show);
  };
  return rules;
}

}  // namespace trainctl::cli
