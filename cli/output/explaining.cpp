// The explanation is a function of what the requests here bring.
#include "cli/output/explaining.h"

#include "work/find/lineage.h"

namespace trainctl::cli {

Result<Explained> explain_now(Context& context, const work::JobSnapshot& snapshot) {
  const job::JobState& state = snapshot.state;
  Explained explained;
  // A worker cluster's queue has admitted what runs there.
  if (!job::is_final(state.phase) && snapshot.worker.empty()) {
    TRY_ASSIGN(explained.queue, work::look_up_queue(context, snapshot.job));
  }
  explained.why = view::explain(snapshot, explained.queue, context.loop.now());
  if (state.phase == job::Phase::failed) {
    explained.why.later = work::find_later_run(context, snapshot.job);
  }
  if (context.embedded) {
    view::add_hindrance(context.embedded->what_hinders(), state, explained.why);
  }
  return explained;
}

}  // namespace trainctl::cli
