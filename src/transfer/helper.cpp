// Creates, awaits and deletes the pod; a signal ends the waiting, and never the deleting.
#include "transfer/helper.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "base/loop/processes.h"
#include "base/text/text.h"
#include "kube/client/backoff.h"
#include "kube/object/metadata.h"
#include "kube/watch/watch.h"
#include "manifest/companions.h"
#include "manifest/kind/names.h"
#include "manifest/render.h"
#include "status/pod_state.h"
#include "status/start_failure.h"
#include "work/create/manifest.h"
#include "work/create/marked_create.h"
#include "work/create/removal.h"

namespace trainctl::work {
namespace {

constexpr Duration k_removal_patience = std::chrono::seconds(20);

Error with_rights(Error error, const std::string& ns) {
  if (error.code != Code::auth) return error;
  error.hint =
      cat("a helper pod needs more rights: ask your administrator for the Role that "
          "trainctl rbac --for fetch --name trainctl-fetch -n ",
          ns, " prints");
  return error;
}

// The message of the scheduler; "" once the pod has a node.
std::string scheduling_words(const Json& pod) {
  for (const Json& condition : array_at(pod, "/status/conditions")) {
    if (text_at(condition, "/type") != "PodScheduled") continue;
    if (text_at(condition, "/status") == "True") return "";
    return printable_line(text_at(condition, "/message"));
  }
  return "";
}

Error ended_error(const Json& pod) {
  std::string why = text_at(pod, "/status/message");
  if (why.empty()) why = text_at(pod, "/status/reason");
  if (why.empty()) why = "its program ended";
  return {Code::not_started, cat("the helper pod has ended: ", printable_line(why)),
          "run the same line again"};
}

Error start_error(const Json& pod, const job::StartFailure& failure,
                  const std::string& image_flag) {
  const std::string image = printable_line(text_at(pod, "/spec/containers/0/image"));
  if (failure.is_of_program()) {
    return {Code::not_started, cat("the image ", image, " has no sh: ", failure.words()),
            cat(image_flag, " IMAGE names one with sh and tar, such as busybox")};
  }
  return {Code::not_started, cat("the helper pod does not start: ", failure.words()),
          cat("choose an image other than the job's: ", image_flag, " IMAGE")};
}

}  // namespace

job::HelperOrder new_order(Access& access, const std::string& ns) {
  constexpr std::size_t k_letters = 12;
  std::string name = lower(access.unique_id());
  std::erase_if(name, [](char c) { return c == '-'; });
  job::HelperOrder order;
  order.name = cat("trainctl-fetch-", name.substr(name.size() - std::min(k_letters, name.size())));
  order.ns = ns;
  order.user = access.user_name();
  const auto mark = process_mark(::getpid());
  if (mark) order.process = mark_text(*mark);
  return order;
}

namespace {

HelperStanding standing_of(const Json& pod, const std::string& image_flag) {
  const std::string phase = text_at(pod, "/status/phase");
  const Json* status = job::container_status(pod, job::k_helper_container);
  if (status != nullptr) {
    if (find(*status, "/state/running") != nullptr) return {true, "", {}};
    if (const auto failure = job::read_start_failure(*status)) {
      // The first failure to pull an image may be temporary.
      const bool first = text_at(*status, "/state/waiting/reason") == "ErrImagePull";
      if (first) return {false, failure->words(), {}};
      return {false, "", start_error(pod, *failure, image_flag)};
    }
  }
  if (phase == "Failed" || phase == "Succeeded") return {false, "", ended_error(pod)};
  return {false, scheduling_words(pod), {}};
}

}  // namespace

Status HelperPod::start(Duration patience) {
  TRY(create());
  if (shell_.interruption) return *shell_.interruption;
  return wait(patience);
}

Status HelperPod::create() {
  Access& access = shell_.access;
  const Json pod = job::helper_pod(order_);
  may_be_there_ = true;
  Outcome outcome = create_marked(access, shell_.client,
                                  {kube::k_pods, order_.ns, pod, access.unique_id(), "helper pod",
                                   cat("kubectl get pod ", order_.name, " -n ", order_.ns)});
  if (auto* made = std::get_if<Made>(&outcome)) {
    uid_ = text_at(made->object, "/metadata/uid");
    return {};
  }
  if (auto* failed = std::get_if<NotMade>(&outcome)) {
    may_be_there_ = failed->unknown;
    Error error = with_rights(std::move(failed->error), order_.ns);
    return in_context("no helper pod", std::move(error));
  }
  may_be_there_ = false;
  return std::get<Taken>(outcome).refusal;
}

Status HelperPod::wait(Duration patience) {
  Loop& loop = shell_.access.loop;
  Console& console = shell_.access.console;
  std::optional<Status> outcome;
  std::string words;
  bool late_now = false;
  kube::WatchHandlers handlers;
  handlers.on_change = [&](const Json& pod) {
    const HelperStanding standing = standing_of(pod, words_.image_flag);
    if (standing.runs) outcome = Status();
    if (standing.error) outcome = *standing.error;
    if (std::exchange(words, standing.words) == standing.words || standing.words.empty()) return;
    console.notice(cat("waiting for the helper pod: ", standing.words));
  };
  handlers.on_gone = [&](const Json&) {
    outcome = Error{Code::removed, cat("the helper pod ", order_.name, " was deleted"),
                    "run the same line again"};
  };
  handlers.on_trouble = [&](const std::string& notice) {
    if (!notice.empty()) console.notice(notice);
  };
  handlers.on_stop = [&](Error error) { outcome = with_rights(std::move(error), order_.ns); };
  kube::WatchTarget target{kube::k_pods, order_.ns, {}};
  target.options.field_selector = cat("metadata.name=", order_.name);
  console.set_status(cat("starting helper pod ", order_.name));
  const HandlePtr watch = kube::start_watch(shell_.client, target, std::move(handlers));
  const HandlePtr timer = loop.after(patience, [&late_now] { late_now = true; });
  loop.run_until([&] { return outcome || shell_.interruption || late_now; });
  console.set_status("");
  if (shell_.interruption) return *shell_.interruption;
  if (outcome) return *outcome;
  return late(patience, words);
}

// The last warning about the pod says more than its status where a volume cannot be mounted.
Error HelperPod::late(Duration patience, const std::string& words) {
  kube::ListOptions options;
  options.field_selector = cat("involvedObject.name=", order_.name, ",type=Warning");
  std::string why = words;
  const Status read =
      shell_.client.list(kube::k_events, order_.ns, options, [&why](const Json& page) {
        for (const Json& event : array_at(page, "/items")) why = text_at(event, "/message", why);
      });
  Error error{Code::not_started,
              cat("the helper pod is not running after ", format_age(patience),
                  why.empty() ? "" : ": ", printable_line(why)),
              words_.late_hint};
  if (!read && why.empty()) error.message += cat(" (", read.error().message, ")");
  return error;
}

Status HelperPod::remove(Status status) {
  if (!may_be_there_) return status;
  shell_.access.loop.ending_signals().forget();
  Loop& loop = shell_.access.loop;
  Console& console = shell_.access.console;
  console.set_status(cat("deleting helper pod ", order_.name));
  kube::DeleteOptions options;
  options.uid = uid_;
  kube::Backoff backoff(k_removal_patience);
  Status removed;
  while (true) {
    removed = shell_.client.remove(kube::k_pods, order_.ns, order_.name, options);
    if (removed || removed.error().code != Code::unreachable) break;
    const auto delay = backoff.delay_in_trouble(loop.now(), std::nullopt);
    if (!delay) break;
    pause(loop, *delay);
  }
  console.set_status("");
  const bool gone = removed || removed.error().code == Code::not_found;
  if (gone) return status;
  Error error = in_context(cat("the helper pod ", order_.name, " could not be deleted"),
                           with_rights(removed.error(), order_.ns));
  if (status) {
    error.message += cat("; the ", words_.work, " is complete, and the pod ends by itself");
    return error;
  }
  console.warn(
      cat(error.message, "; it ends by itself, and the next ", words_.work, " deletes it"));
  return status;
}

}  // namespace trainctl::work
