// Reads back by name, or by the mark where the server generates the name.
#include "work/create/marked_create.h"

#include <optional>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "kube/client/backoff.h"
#include "kube/client/metadata_requests.h"
#include "kube/object/metadata.h"
#include "manifest/render.h"
#include "work/create/removal.h"

namespace trainctl::work {
namespace {

// Together five seconds: runners kill ten seconds after a signal, and reports take some as well.
constexpr Duration k_answer_grace = std::chrono::seconds(3);
constexpr Duration k_last_look = std::chrono::seconds(2);

// The object of that name; null when there is none.
Result<Json> find_named(kube::Client& client, const MarkedObject& marked, const std::string& name) {
  auto found = client.get(marked.resource, marked.ns, name);
  if (!found && found.error().code == Code::not_found) return Json();
  return found;
}

// The one object that carries this submission's mark; null when there is none.
Result<Json> find_generated(kube::Client& client, const MarkedObject& marked) {
  Json ours;
  TRY(client.list(marked.resource, marked.ns, {}, [&](const Json& page) {
    for (const Json& item : array_at(page, "/items")) {
      if (mark_of(item) == marked.mark) ours = item;
    }
  }));
  return ours;
}

NotMade not_made(const Error& why, std::string hint, bool unknown) {
  return {{why.code, why.message, std::move(hint)}, unknown};
}

NotMade not_known(const Error& why, const MarkedObject& marked) {
  return not_made(why,
                  cat("it is not known whether the ", marked.noun, " was created: check with ",
                      marked.check, " before you submit again"),
                  true);
}

Result<Json> find_marked(kube::Client& client, const MarkedObject& marked) {
  const std::string name = text_at(marked.object, "/metadata/name");
  return name.empty() ? find_generated(client, marked) : find_named(client, marked, name);
}

// A command that is told to end before its POST is answered says this. Absence proves nothing: the
// server may still be at work.
NotMade given_up(Access& access, kube::Client& client, const MarkedObject& marked,
                 const Error& why) {
  access.loop.ending_signals().forget();
  const LimitedCalls limited(access, deadline_after(k_last_look, access.loop.now()));
  const auto found = find_marked(client, marked);
  if (!found || mark_of(*found) != marked.mark) return not_known(why, marked);
  return not_made(why, cat("the ", marked.noun, " was created: see ", marked.check), true);
}

// nullopt: the name was taken, and is free again.
std::optional<Outcome> read_back(Access& access, kube::Client& client, const MarkedObject& marked,
                                 const LimitedCalls& calls, const Error& why, bool exists) {
  const std::string& noun = marked.noun;
  if (!exists) {
    access.console.notice(cat(why.message, "; checking whether the ", noun, " was created"));
  }
  auto found = find_marked(client, marked);
  if (!found) return not_known(calls.are_over() ? found.error() : why, marked);
  const bool is_named = !text_at(marked.object, "/metadata/name").empty();
  if (found->is_null() && exists && is_named) return std::nullopt;
  if (found->is_null()) {
    return not_made(why, cat("the ", noun, " was not created: submit it again"), false);
  }
  if (mark_of(*found) == marked.mark) return Made{*std::move(found)};
  return Taken{*std::move(found), why};
}

}  // namespace

std::string mark_of(const Json& object) {
  return text_at(object, kube::annotation_pointer(job::k_submission_annotation));
}

Outcome create_marked(Access& access, kube::Client& client, const MarkedObject& marked) {
  Json object = marked.object;
  object["metadata"]["annotations"][std::string(job::k_submission_annotation)] = marked.mark;
  // Only what was refused for certain is sent again: others may replace the job at the same time.
  std::optional<Outcome> outcome;
  // Whether the object exists now decides what an interrupted command must still do.
  const LimitedCalls patient(access, k_answer_grace);
  for (int round = 0; round < k_rivals && !outcome; ++round) {
    auto answer = client.create(marked.resource, marked.ns, object);
    if (auto* created = std::get_if<Json>(&answer)) return Made{std::move(*created)};
    auto& failure = std::get<kube::Failure>(answer);
    const bool exists = failure.refusal.reason == "AlreadyExists";
    const bool unsure = failure.refusal.status == 0 || failure.refusal.status >= 500;
    if (patient.are_over() && !failure.unsent) {
      return given_up(access, client, marked, failure.error);
    }
    if (!exists && !(unsure && failure.error.code == Code::unreachable)) {
      return NotMade{std::move(failure.error)};
    }
    if (failure.unsent) return NotMade{std::move(failure.error)};
    outcome = read_back(access, client, marked, patient, failure.error, exists);
    // Only a server that names the object can mean a rival's, which is gone by now.
    if (!outcome && failure.refusal.message.find("already exists") == std::string::npos) {
      return NotMade{{failure.error.code, failure.error.message,
                      cat("there is no ", marked.noun,
                          " of this name: does a proxy in front of the cluster refuse it?")}};
    }
  }
  if (outcome) return *std::move(outcome);
  return NotMade{
      {Code::refused,
       cat("the name of the ", marked.noun, " was taken by someone else each time it became free"),
       "choose another name, or find out who uses this one"}};
}

namespace {

constexpr Duration k_owners_wait = std::chrono::seconds(30);
constexpr int k_not_found = 404;
constexpr int k_conflict = 409;

}  // namespace

Status become_owner(Access& access, kube::Client& client, const std::string& ns,
                    const job::DependentObject& companion, Json there, const Json& reference,
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
