// The same patch twice does no harm, so it is repeated when its answer was lost.
#include "work/create/ownership.h"

#include "base/text/text.h"
#include "kube/client/backoff.h"
#include "kube/client/metadata_requests.h"
#include "kube/object/metadata.h"
#include "work/create/removal.h"

namespace trainctl::work {
namespace {

constexpr Duration k_owners_wait = std::chrono::seconds(30);
constexpr int k_not_found = 404;
constexpr int k_conflict = 409;

}  // namespace

Status become_owner(Access& access, kube::Client& client, const std::string& ns,
                    const job::Companion& companion, Json there, const Json& reference,
                    const std::function<Status()>& make_again) {
  kube::Backoff backoff(k_owners_wait);
  const std::string uid = text_at(reference, "/uid");
  while (!kube::has_owner(there, uid)) {
    auto answer = kube::add_owners(client, companion.resource, ns, there, Json::array({reference}));
    const auto* failure = std::get_if<kube::Failure>(&answer);
    if (failure == nullptr) return {};
    const bool is_gone = failure->refusal.status == k_not_found && make_again;
    const bool is_changed = failure->refusal.status == k_conflict;
    const bool is_lost = failure->error.code == Code::unreachable;
    const auto delay = backoff.delay_in_trouble(access.loop.now(), std::nullopt);
    if (!delay || !(is_gone || is_changed || is_lost)) return failure->error;
    if (is_gone) TRY(make_again());
    if (is_lost) {
      access.console.notice(cat(failure->error.message, "; trying again"));
      TRY(client.pause(*delay));
      continue;
    }
    auto now = client.get(companion.resource, ns, companion.name());
    if (now) there = *std::move(now);
  }
  return {};
}

}  // namespace trainctl::work
