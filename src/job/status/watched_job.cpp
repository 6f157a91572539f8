// Distinguishes the job from its namesakes by its uid.
#include "job/status/watched_job.h"

#include <utility>

#include "kube/watch/watch.h"

namespace trainctl::job {

WatchedJob::WatchedJob(kube::Client& client, const Kind& kind, const std::string& ns,
                       const std::string& name, std::string uid, Json object,
                       WatchedJobHandlers handlers)
    : handlers_(std::move(handlers)), uid_(std::move(uid)), object_(std::move(object)) {
  kube::WatchHandlers watched;
  watched.on_change = [this](const Json& changed) { take(changed); };
  watched.on_gone = [this](const Json& last) { on_gone(last); };
  watched.on_listed = [this] { on_listed(); };
  watched.on_trouble = handlers_.on_trouble;
  watched.on_stop = handlers_.on_stop;
  kube::WatchTarget target{kind.resource, ns, {"", "metadata.name=" + name}};
  watch_ = start_watch(client, std::move(target), std::move(watched));
}

void WatchedJob::on_listed() {
  if (known_ == Known::as_given) return report_gone();
  known_ = Known::listed;
  handlers_.on_change();
}

void WatchedJob::take(const Json& object) {
  const std::string uid = text_at(object, "/metadata/uid");
  if (uid_.empty()) uid_ = uid;
  if (uid != uid_) {
    if (!object_.is_null()) report_gone();
    return;
  }
  if (known_ == Known::as_given) known_ = Known::read;
  object_ = object;
  handlers_.on_change();
}

void WatchedJob::on_gone(const Json& last) {
  if (text_at(last, "/metadata/uid") != uid_) return;
  if (find(last, "/spec") != nullptr) object_ = last;
  report_gone();
}

void WatchedJob::report_gone() {
  if (std::exchange(gone_, true)) return;
  handlers_.on_gone();
}

}  // namespace trainctl::job
