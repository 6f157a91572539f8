// Who has a name, and whether it will be free, is decided by the object's owner and its mark.
#include "cli/jobs/companion_creation.h"

#include <algorithm>

#include "base/text.h"
#include "cli/jobs/marked_create.h"
#include "cli/jobs/removal.h"
#include "kube/backoff.h"
#include "kube/metadata.h"

namespace trainctl::cli {
namespace {

// The garbage collector follows a deletion within seconds; longer means that it does not run.
constexpr Duration k_collector_patience = std::chrono::minutes(1);
constexpr Duration k_patch_patience = std::chrono::seconds(30);

// The job that owns the object; null when none does.
const Json* owner_of(const Json& object) {
  for (const Json& reference : array_at(object, "/metadata/ownerReferences")) {
    if (job::kind_of(reference) != nullptr) return &reference;
  }
  return nullptr;
}

bool is_owned(const Json& object) {
  return !array_at(object, "/metadata/ownerReferences").empty();
}

// Made by a submission that did not come to the job, or to its end.
bool is_left_over(const Json& object) {
  return !is_owned(object) && !mark_of(object).empty();
}

std::vector<std::string> titles(const std::vector<const job::Companion*>& companions) {
  std::vector<std::string> all;
  for (const job::Companion* companion : companions) all.push_back(companion->title());
  return all;
}

std::string listed(const std::vector<const job::Companion*>& companions) {
  return join(titles(companions), ", ");
}

}  // namespace

Error companion_refused(const job::Companion& companion, Error why) {
  why.message = job::without_data(std::move(why.message), companion);
  return in_context(companion.title(), std::move(why));
}

CompanionCreation::CompanionCreation(Context& context, kube::Client& client,
                                     const Manifest& manifest, const std::string& mark)
    : context_(context),
      client_(client),
      manifest_(manifest),
      mark_(mark),
      shared_(context, client, manifest.ns, mark) {}

bool CompanionCreation::shares() const {
  const auto& all = manifest_.companions;
  return std::any_of(all.begin(), all.end(), [](const job::Companion& companion) {
    return companion.sharing == job::Sharing::by_content;
  });
}

Status CompanionCreation::create(bool replace, const std::optional<Deadline>& deadline) {
  const Deadline patience{context_.loop.now() + k_collector_patience, k_collector_patience};
  created_.clear();
  if (shares()) shared_.look();
  for (const job::Companion& companion : manifest_.companions) {
    if (Status made = create(companion, replace, deadline.value_or(patience)); !made) {
      return undo(std::move(made).error());
    }
  }
  return {};
}

Status CompanionCreation::create(const job::Companion& companion, bool replace,
                                 const Deadline& deadline) {
  const bool is_shared = companion.sharing == job::Sharing::by_content;
  if (const Json* there = shared_.find(companion.name()); is_shared && there != nullptr) {
    created_.push_back({&companion, *there, Maker::other});
    return {};
  }
  for (;;) {
    Outcome outcome = create_marked(
        context_, client_,
        {companion.resource, manifest_.ns, companion.object, mark_, lower(companion.resource.kind),
         cat("kubectl get ", companion.title(), " -n ", manifest_.ns)});
    if (auto* made = std::get_if<Made>(&outcome)) {
      created_.push_back({&companion, std::move(made->object)});
      return {};
    }
    if (auto* failed = std::get_if<NotMade>(&outcome)) {
      return companion_refused(companion, std::move(failed->error));
    }
    Json& there = std::get<Taken>(outcome).object;
    const bool is_going = find(there, "/metadata/deletionTimestamp") != nullptr;
    if (is_shared && !is_going) {
      if (!is_shared_map(there, companion)) return taken(companion, there);
      created_.push_back({&companion, std::move(there), Maker::other});
      return {};
    }
    if (!is_shared) {
      TRY(make_room(companion, there, replace, deadline));
    } else if (deadline.is_over(context_.loop.now())) {
      return taken(companion, there);
    } else {
      TRY(pause(client_, k_removal_poll));
    }
  }
}

// Returns when the name may be free by now.
Status CompanionCreation::make_room(const job::Companion& companion, const Json& there,
                                    bool replace, const Deadline& deadline) {
  if (is_left_over(there) && replace) return remove(companion, there);
  const Json* owner = owner_of(there);
  const bool of_this_name = owner != nullptr && job::kind_of(*owner) == manifest_.kind &&
                            text_at(*owner, "/name") == text_at(manifest_.object, "/metadata/name");
  return of_this_name ? await_collector(companion, there, deadline) : taken(companion, there);
}

// A job of this name was looked for, and is not there: what it owned is about to go.
Status CompanionCreation::await_collector(const job::Companion& companion, const Json& there,
                                          const Deadline& deadline) {
  const std::string former = text_at(*owner_of(there), "/uid");
  const std::string job_name = text_at(*owner_of(there), "/name");
  context_.console.notice(
      cat("waiting for ", companion.title(), " of the former ", job_name, " to go"));
  for (;;) {
    TRY_ASSIGN(const Json job, look_up(manifest_.kind->resource, job_name));
    if (text_at(job, "/metadata/uid") == former) return taken(companion, there);
    TRY_ASSIGN(const Json now, look_up(companion.resource, companion.name()));
    if (text_at(now, "/metadata/uid") != text_at(there, "/metadata/uid")) return {};
    const Status paused = pause(client_, k_removal_poll);
    const bool is_late =
        paused ? deadline.is_over(context_.loop.now()) : paused.error().code == Code::timeout;
    if (is_late) {
      return Error{Code::timeout,
                   cat(companion.title(), " of the former ", job_name, " still there after ",
                       format_age(deadline.timeout)),
                   cat("the cluster should have deleted it: kubectl delete ", companion.title(),
                       " -n ", manifest_.ns)};
    }
    TRY(paused);
  }
}

Error CompanionCreation::taken(const job::Companion& companion, const Json& there) const {
  // What a submit line brings is named after its job.
  const bool is_of_a_line = manifest_.line != nullptr && manifest_.line->is_template;
  const std::string rename =
      is_of_a_line ? "choose another --name" : "give it another name in the file";
  Error error{Code::refused, cat(companion.title(), " already exists in namespace ", manifest_.ns),
              cat(rename, ", or delete it first: kubectl delete ", companion.title(), " -n ",
                  manifest_.ns)};
  if (const Json* owner = owner_of(there)) {
    error.message += printable_line(
        cat(" (of ", lower(text_at(*owner, "/kind")), " ", text_at(*owner, "/name"), ")"));
    error.hint = cat(rename, ": it goes with its job");
  } else if (is_left_over(there)) {
    error.message += " (left by a submit that was interrupted)";
    error.hint = "--if-exists=replace puts the new one in its place";
  }
  return error;
}

Status CompanionCreation::hand_over(const Json& job) {
  const Json reference = kube::owner_reference(manifest_.kind->resource, job);
  for (const Created& one : created_) {
    if (one.companion->sharing == job::Sharing::by_content) {
      if (Status owned = shared_.own(*one.companion, one.object, reference); !owned) {
        return companion_refused(*one.companion,
                                 in_context("the job cannot own it", std::move(owned).error()));
      }
      continue;
    }
    Json references = array_at(one.object, "/metadata/ownerReferences");
    references.push_back(reference);
    const Json patch = {{"metadata",
                         {{"uid", text_at(one.object, "/metadata/uid")},
                          {"ownerReferences", std::move(references)}}}};
    if (Status owned = own(*one.companion, patch); !owned) {
      return companion_refused(*one.companion,
                               in_context("the job cannot own it", std::move(owned).error()));
    }
  }
  if (shares()) shared_.sweep();
  return {};
}

void CompanionCreation::adopt(const Json& job) {
  if (shares()) shared_.adopt(job);
}

// The same patch twice does no harm, so it is repeated when its answer was lost.
Status CompanionCreation::own(const job::Companion& companion, const Json& patch) {
  kube::Backoff backoff(k_patch_patience);
  for (;;) {
    const auto answer =
        client_.merge_patch(companion.resource, manifest_.ns, companion.name(), patch);
    if (answer) return {};
    const auto delay = backoff.delay_in_trouble(context_.loop.now(), std::nullopt);
    if (answer.error().code != Code::unreachable || !delay) return answer.error();
    context_.console.notice(cat(answer.error().message, "; trying again"));
    TRY(pause(client_, *delay));
  }
}

std::pair<CompanionCreation::Companions, CompanionCreation::Companions>
CompanionCreation::remove_created() {
  const LimitedCalls limited(context_, deadline_after(k_rollback_time, context_.loop.now()));
  Companions removed, left;
  for (const Created& one : created_) {
    if (one.maker == Maker::other) continue;
    const bool is_shared = one.companion->sharing == job::Sharing::by_content;
    const Status gone =
        is_shared ? shared_.remove(*one.companion, one.object) : remove(*one.companion, one.object);
    (gone ? removed : left).push_back(one.companion);
  }
  created_.clear();
  return {std::move(removed), std::move(left)};
}

std::string CompanionCreation::deletion_of(const Companions& companions) const {
  return cat("kubectl delete -n ", manifest_.ns, " ", join(titles(companions), " "));
}

Error CompanionCreation::undo(Error why) {
  const auto [removed, left] = remove_created();
  if (!removed.empty()) {
    why.message +=
        cat("; ", listed(removed), removed.size() == 1 ? " was" : " were", " deleted again");
  }
  if (!left.empty()) {
    why.message += cat("; ", listed(left), left.size() == 1 ? " is" : " are", " left behind");
    why.hint = deletion_of(left);
  }
  return why;
}

void CompanionCreation::take_back() {
  const Companions left = remove_created().second;
  if (left.empty()) return;
  context_.console.warn(
      cat(listed(left), left.size() == 1 ? " is" : " are", " left behind: ", deletion_of(left)));
}

Error CompanionCreation::keep(Error why) const {
  Companions kept;
  for (const Created& one : created_) {
    if (one.maker == Maker::us) kept.push_back(one.companion);
  }
  if (!kept.empty()) why.message += cat("; ", listed(kept), kept.size() == 1 ? " stays" : " stay");
  return why;
}

Status CompanionCreation::check_replaceable(const Json& job) {
  for (const job::Companion& companion : manifest_.companions) {
    if (companion.sharing == job::Sharing::by_content) continue;
    TRY_ASSIGN(const Json there, look_up(companion.resource, companion.name()));
    if (there.is_null() || is_left_over(there)) continue;
    const Json* owner = owner_of(there);
    const bool goes_with_it =
        owner != nullptr && text_at(*owner, "/uid") == text_at(job, "/metadata/uid");
    if (!goes_with_it) return taken(companion, there);
  }
  return {};
}

// Null when there is none.
Result<Json> CompanionCreation::look_up(const kube::Resource& resource, const std::string& name) {
  auto found = client_.get(resource, manifest_.ns, name);
  if (!found && found.error().code == Code::not_found) return Json();
  return found;
}

Status CompanionCreation::remove(const job::Companion& companion, const Json& object) {
  kube::DeleteOptions options;
  options.uid = text_at(object, "/metadata/uid");
  Status removed = client_.remove(companion.resource, manifest_.ns, companion.name(), options);
  if (!removed && removed.error().code == Code::not_found) return {};
  return removed;
}

}  // namespace trainctl::cli
