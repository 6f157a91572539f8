// A job is gone when its object and the last pod that it owned are gone.
#include "work/create/removal.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/client/removal.h"
#include "kube/object/metadata.h"
#include "manifest/kind/replica.h"
#include "status/blockers.h"
#include "status/state.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_removals_at_once = 32;

// `removed` outlives the handle.
HandlePtr start_job_removal(kube::Client& client, const job::Kind& kind, const Json& object,
                            std::optional<Status>& removed) {
  kube::RemovalTarget target{kind.resource, text_at(object, "/metadata/namespace"),
                             text_at(object, "/metadata/name"), text_at(object, "/metadata/uid")};
  return kube::start_removal(client, std::move(target),
                             [&removed](Status status) { removed = std::move(status); });
}

// The pods that are still there: "3 pods", or "".
Result<std::string> remaining_pods(Access& access, const job::Kind& kind, const Json& object) {
  TRY_ASSIGN(kube::Client * client, access.client());
  TRY_ASSIGN(const auto pods, fetch_pods(*client, kind, object));
  return pods.empty() ? std::string() : plural(pods.size(), "pod");
}

// Names the remaining objects: "the job", "3 pods", or "".
Result<std::string> remains(Access& access, const job::Kind& kind, const Json& object) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto now = client->get(kind.resource, text_at(object, "/metadata/namespace"),
                         text_at(object, "/metadata/name"));
  if (!now && now.error().code != Code::not_found) return std::move(now).error();
  const bool stands = now && text_at(*now, "/metadata/uid") == text_at(object, "/metadata/uid");
  if (stands) {
    const bool is_kept = kube::is_being_deleted(*now) && !job::keeping_finalizers(*now).empty();
    return is_kept ? cat("the job (", job::deletion_words(*now), ")") : std::string("the job");
  }
  return remaining_pods(access, kind, object);
}

using Remains = Result<std::string>(Access&, const job::Kind&, const Json&);

// `goes_on`: says what still happens after the wait has ended.
Status wait_while(Remains& remains, std::string_view goes_on, Access& access, const job::Kind& kind,
                  const Json& object) {
  TRY_ASSIGN(kube::Client * client, access.client());
  const std::optional<Deadline>& deadline = access.deadline;
  const std::string name = text_at(object, "/metadata/name");
  std::string reported;
  for (;;) {
    TRY_ASSIGN(const std::string left, remains(access, kind, object));
    if (left.empty()) return {};
    if (left != reported) access.console.notice(cat("waiting for ", left, " of ", name, " to go"));
    reported = left;
    const Duration left_time = deadline ? deadline->at - access.loop.now() : k_removal_poll;
    const Status paused = client->pause(std::clamp(left_time, Duration{}, k_removal_poll));
    const bool is_late = deadline && (paused ? deadline->is_over(access.loop.now())
                                             : paused.error().code == Code::timeout);
    if (is_late) {
      return Error{Code::timeout,
                   cat(left, " of ", name, " still there after ", format_age(deadline->timeout)),
                   cat(goes_on, "; give a longer --timeout")};
    }
    TRY(paused);
  }
}

}  // namespace

void pause(Loop& loop, Duration time) {
  bool over = false;
  const HandlePtr timer = loop.after(time, [&over] { over = true; });
  loop.run_until([&over] { return over; });
}

Status remove_job(Access& access, const job::Kind& kind, const Json& object) {
  TRY_ASSIGN(kube::Client * client, access.client());
  std::optional<Status> removed;
  const HandlePtr removal = start_job_removal(*client, kind, object, removed);
  TRY(client->run_until([&removed] { return removed.has_value(); }));
  return *std::move(removed);
}

Status remove_jobs(Access& access, const std::vector<FoundJob>& jobs,
                   const std::function<void(const FoundJob&, Status)>& removed) {
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<std::optional<Status>> outcomes(jobs.size());
  std::vector<HandlePtr> removals;
  std::vector<std::string> unconfirmed;
  Status ended;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    while (ended && removals.size() < std::min(jobs.size(), at + k_removals_at_once)) {
      const FoundJob& next = jobs[removals.size()];
      std::optional<Status>& outcome = outcomes[removals.size()];
      removals.push_back(start_job_removal(*client, *next.kind, next.object, outcome));
    }
    if (ended) ended = client->run_until([&] { return outcomes[at].has_value(); });
    if (outcomes[at]) {
      removed(jobs[at], *std::move(outcomes[at]));
    } else {
      unconfirmed.push_back(jobs[at].name());
    }
  }
  if (ended || jobs.size() == 1) return ended;
  Error why = std::move(ended).error();
  why.message += cat("; not confirmed as deleted: ", printable_line(join(unconfirmed, ", ")));
  return why;
}

Status wait_until_stopped(Access& access, const job::Kind& kind, const Json& object) {
  return wait_while(remaining_pods, "they are being stopped", access, kind, object);
}

Status wait_until_gone(Access& access, const job::Kind& kind, const Json& object) {
  return wait_while(remains, "it is being deleted", access, kind, object);
}

}  // namespace trainctl::work
