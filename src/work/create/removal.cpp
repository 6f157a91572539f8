// A job is gone when its object and the last pod that it owned are gone.
#include "work/create/removal.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/kind/pod_identity.h"
#include "kube/client/removal.h"
#include "work/find/find_job.h"

namespace trainctl::work {
namespace {

// The pods that are still there: "3 pods", or "".
Result<std::string> remaining_pods(Access& access, const job::Kind& kind, const Json& object) {
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> pods = {pods_listing(text_at(object, "/metadata/namespace"), &kind,
                                            text_at(object, "/metadata/name"))};
  fetch_together(*client, pods);
  if (pods[0].failure) return pods[0].failure->error;
  job::keep_owned(pods[0].objects, {kind, object});
  const std::size_t left = pods[0].objects.size();
  return left == 0 ? std::string() : plural(left, "pod");
}

// Names the remaining objects: "the job", "3 pods", or "".
Result<std::string> remains(Access& access, const job::Kind& kind, const Json& object) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto now = client->get(kind.resource, text_at(object, "/metadata/namespace"),
                         text_at(object, "/metadata/name"));
  if (!now && now.error().code != Code::not_found) return std::move(now).error();
  const bool stands = now && text_at(*now, "/metadata/uid") == text_at(object, "/metadata/uid");
  if (stands) return std::string("the job");
  return remaining_pods(access, kind, object);
}

using Remains = Result<std::string>(Access&, const job::Kind&, const Json&);

// `goes_on`: says what still happens after the wait has ended.
Status wait_while(Remains& remains, std::string_view goes_on, Access& access, const job::Kind& kind,
                  const Json& object, const std::optional<Deadline>& deadline) {
  TRY_ASSIGN(kube::Client * client, access.client());
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
  kube::RemovalTarget target{kind.resource, text_at(object, "/metadata/namespace"),
                             text_at(object, "/metadata/name"), text_at(object, "/metadata/uid")};
  std::optional<Status> removed;
  const HandlePtr removal = kube::start_removal(
      *client, std::move(target), [&removed](Status status) { removed = std::move(status); });
  TRY(client->run_until([&removed] { return removed.has_value(); }));
  return *std::move(removed);
}

Status wait_until_stopped(Access& access, const job::Kind& kind, const Json& object,
                          const std::optional<Deadline>& deadline) {
  return wait_while(remaining_pods, "they are being stopped", access, kind, object, deadline);
}

Status wait_until_gone(Access& access, const job::Kind& kind, const Json& object,
                       const std::optional<Deadline>& deadline) {
  return wait_while(remains, "it is being deleted", access, kind, object, deadline);
}

}  // namespace trainctl::work
