// Prints one notice for a problem, and one for all other pods that have it, too.
#include "job/logs/retry_notices.h"

#include "base/text/text.h"
#include "net/failure.h"

namespace trainctl::job {

namespace {

// Connections that fail for the same reason do not all fail in the same turn of the loop.
constexpr Duration k_gather = std::chrono::seconds(1);

}  // namespace

RetryNotices::RetryNotices(Loop& loop, std::function<void(const std::string&)> notice)
    : loop_(loop), notice_(std::move(notice)) {}

void RetryNotices::add(const std::string& pod, const Error& why, Duration wait) {
  const auto known = troubles_.find(why.message);
  if (known != troubles_.end() && known->second.pods.contains(pod)) return report_hint(why.hint);
  remove(pod);
  const auto [entry, first] = troubles_.try_emplace(why.message);
  Trouble& trouble = entry->second;
  trouble.pods.insert(pod);
  if (first) {
    const std::string when = wait == Duration::zero() ? "" : cat(" in ", net::seconds_text(wait));
    return notice_(cat("log of ", pod, " interrupted (", why.message, "); resuming", when));
  }
  trouble.unreported.insert(pod);
  if (trouble.timer != nullptr) return;
  trouble.timer = loop_.after(k_gather, [this, message = why.message] { report_others(message); });
}

void RetryNotices::report_others(const std::string& message) {
  const auto entry = troubles_.find(message);
  Trouble& trouble = entry->second;
  const HandlePtr over = std::move(trouble.timer);
  const std::set<std::string> unreported = std::exchange(trouble.unreported, {});
  if (trouble.pods.empty()) troubles_.erase(entry);
  notice_(unreported.size() == 1
              ? cat("also interrupted: the log of ", *unreported.begin())
              : cat("also interrupted: the logs of ", unreported.size(), " other pods"));
}

void RetryNotices::remove(const std::string& pod) {
  for (auto& [message, trouble] : troubles_) trouble.pods.erase(pod);
  std::erase_if(troubles_, [](const auto& entry) {
    return entry.second.pods.empty() && entry.second.unreported.empty();
  });
}

void RetryNotices::report_hint(const std::string& hint) {
  if (!hint.empty() && hints_.insert(hint).second) notice_(cat("hint: ", hint));
}

}  // namespace trainctl::job
