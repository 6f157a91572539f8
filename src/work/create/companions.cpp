// Resolves name conflicts by owner and creation mark.
#include "work/create/companions.h"

#include <algorithm>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/companions.h"
#include "work/create/marked_create.h"
#include "work/create/removal.h"

namespace trainctl::work {
namespace {

// "configmap/a, configmap/b are left behind"
std::string told(const std::vector<std::string>& titles, std::string_view one,
                 std::string_view several) {
  return cat(join(titles, ", "), ' ', titles.size() == 1 ? one : several);
}

}  // namespace

LimitedCalls Transaction::limits() {
  access_.loop.ending_signals().forget();
  return {access_, deadline_after(k_rollback_time, access_.loop.now())};
}

Transaction::Titles Transaction::undo_all() {
  const LimitedCalls limited = limits();
  Titles titles;
  for (const Object& object : std::exchange(beside_, {})) {
    (object.undo() ? titles.deleted : titles.left).push_back(object.title);
  }
  return titles;
}

std::string Transaction::deletion_of(const std::vector<std::string>& titles) const {
  return cat("kubectl delete -n ", ns_, " ", join(titles, " "));
}

Error Transaction::roll_back(Error why) {
  if (const auto job = std::exchange(job_, std::nullopt)) {
    const LimitedCalls limited = limits();
    if (!job->undo()) {
      why.message += cat("; ", job->title, " is left behind");
      why.hint = deletion_of({job->title});
      return leave(std::move(why));
    }
    why.message += cat("; ", job->title, " was deleted again");
  }
  const auto [deleted, left] = undo_all();
  if (!deleted.empty()) {
    why.message += cat("; ", told(deleted, "was deleted again", "were deleted again"));
  }
  if (!left.empty()) {
    why.message += cat("; ", told(left, "is left behind", "are left behind"));
  }
  if (!uncertain_.empty()) why.message += cat("; ", join(uncertain_, ", "), " may exist");
  std::vector<std::string> remaining = left;
  remaining.insert(remaining.end(), uncertain_.begin(), uncertain_.end());
  if (!remaining.empty()) {
    why.hint = cat(deletion_of(remaining), uncertain_.empty() ? "" : " --ignore-not-found");
  }
  return why;
}

void Transaction::roll_back() {
  const auto left = undo_all().left;
  if (left.empty()) return;
  access_.console.warn(
      cat(told(left, "is left behind", "are left behind"), ": ", deletion_of(left)));
}

Error Transaction::leave(Error why) const {
  std::vector<std::string> titles;
  for (const Object& object : beside_) titles.push_back(object.title);
  if (!titles.empty()) why.message += cat("; ", told(titles, "stays", "stay"));
  return why;
}

namespace {

// The garbage collector follows a deletion within seconds; longer means that it does not run.
constexpr Duration k_collector_patience = std::chrono::minutes(1);

// The job that owns the object; null when none does.
const Json* owner_entry(const Json& object) {
  for (const Json& reference : array_at(object, "/metadata/ownerReferences")) {
    if (job::kind_of(reference) != nullptr) return &reference;
  }
  return nullptr;
}

bool is_owned(const Json& object) {
  return !array_at(object, "/metadata/ownerReferences").empty();
}

// Made by a submission that did not come to the job, or to its end. A claim never counts as such:
// another job may have put data into it.
bool is_left_over(const job::DependentObject& companion, const Json& object) {
  return !job::is_claim(companion.resource) && !is_owned(object) && !mark_of(object).empty();
}

}  // namespace

Error companion_refused(const job::DependentObject& companion, Error why) {
  why.message = job::without_data(std::move(why.message), companion);
  return in_context(companion.title(), std::move(why));
}

Companions::Companions(Access& access, kube::Client& client, const Manifest& manifest,
                       const std::string& mark, Transaction& transaction,
                       std::optional<IfExists> if_exists)
    : access_(access),
      client_(client),
      manifest_(manifest),
      mark_(mark),
      shared_(access, client, manifest.ns, mark),
      transaction_(transaction),
      if_exists_(if_exists) {}

bool Companions::shares() const {
  const auto& all = manifest_.companions;
  return std::ranges::any_of(all, [](const job::DependentObject& companion) {
    return companion.sharing == job::Sharing::by_content;
  });
}

Status Companions::create() {
  const Deadline patience{access_.loop.now() + k_collector_patience, k_collector_patience};
  needed_.clear();
  if (shares()) shared_.look();
  for (const job::DependentObject& companion : manifest_.companions) {
    TRY(create(companion, access_.deadline.value_or(patience)));
  }
  for (const job::DependentObject& companion : manifest_.earlier) {
    needed_.push_back({&companion, companion.object});
  }
  return {};
}

Status Companions::create(const job::DependentObject& companion, const Deadline& deadline) {
  const bool is_kept = companion.sharing == job::Sharing::kept;
  const bool is_shared = companion.sharing == job::Sharing::by_content;
  if (const Json* there = shared_.find(companion.name()); is_shared && there != nullptr) {
    needed_.push_back({&companion, *there});
    return {};
  }
  for (;;) {
    Outcome outcome = create_marked(
        access_, client_,
        {companion.resource, manifest_.ns, companion.object, mark_, lower(companion.resource.kind),
         cat("kubectl get ", companion.title(), " -n ", manifest_.ns)});
    if (auto* made = std::get_if<Made>(&outcome)) {
      record(companion, made->object);
      if (is_kept) access_.console.notice(companion.title() + " created; it outlives the job");
      if (!is_kept) needed_.push_back({&companion, std::move(made->object)});
      return {};
    }
    if (auto* failed = std::get_if<NotMade>(&outcome)) {
      if (failed->unknown) transaction_.add_uncertain(companion.title());
      return companion_refused(companion, std::move(failed->error));
    }
    Json& there = std::get<Taken>(outcome).object;
    const bool is_going = kube::is_being_deleted(there);
    if (is_kept && !is_going) {
      access_.console.notice(companion.title() + " exists and is used unchanged");
      return {};
    }
    if (is_shared && !is_going) {
      if (!is_shared_map(there, companion)) return taken(companion, there);
      needed_.push_back({&companion, std::move(there)});
      return {};
    }
    if (!is_shared && !is_kept) {
      TRY(make_room(companion, there, deadline));
    } else if (deadline.is_over(access_.loop.now())) {
      return taken(companion, there);
    } else {
      TRY(client_.pause(k_removal_poll));
    }
  }
}

// Returns when the name may be free by now.
Status Companions::make_room(const job::DependentObject& companion, const Json& there,
                             const Deadline& deadline) {
  if (is_left_over(companion, there) && if_exists_ == IfExists::replace)
    return remove(companion, there);
  const Json* owner = owner_entry(there);
  const bool of_this_name = owner != nullptr && job::kind_of(*owner) == manifest_.kind &&
                            text_at(*owner, "/name") == text_at(manifest_.object, "/metadata/name");
  return of_this_name ? await_collector(companion, there, deadline) : taken(companion, there);
}

// A job of this name was looked for, and does not exist: its objects will soon be collected.
Status Companions::await_collector(const job::DependentObject& companion, const Json& there,
                                   const Deadline& deadline) {
  const std::string former = text_at(*owner_entry(there), "/uid");
  const std::string job_name = text_at(*owner_entry(there), "/name");
  access_.console.notice(
      cat("waiting for ", companion.title(), " of the previous ", job_name, " to be deleted"));
  for (;;) {
    TRY_ASSIGN(const Json job, look_up(manifest_.kind->resource, job_name));
    if (text_at(job, "/metadata/uid") == former) return taken(companion, there);
    TRY_ASSIGN(const Json now, look_up(companion.resource, companion.name()));
    if (text_at(now, "/metadata/uid") != text_at(there, "/metadata/uid")) return {};
    const Status paused = client_.pause(k_removal_poll);
    const bool is_late =
        paused ? deadline.is_over(access_.loop.now()) : paused.error().code == Code::timeout;
    if (is_late) {
      return Error{Code::timeout,
                   cat(companion.title(), " of the previous ", job_name, " still exists after ",
                       format_age(deadline.timeout)),
                   cat("delete the object yourself: kubectl delete ", companion.title(), " -n ",
                       manifest_.ns)};
    }
    TRY(paused);
  }
}

Error Companions::taken(const job::DependentObject& companion, const Json& there) const {
  // Objects of a submit line are named after its job.
  const bool is_of_a_line = manifest_.line != nullptr && manifest_.line->is_template;
  const std::string rename =
      is_of_a_line ? "choose another --name" : "give it another name in the file";
  Error error{Code::refused, cat(companion.title(), " already exists in namespace ", manifest_.ns),
              cat(rename, ", or delete it first: kubectl delete ", companion.title(), " -n ",
                  manifest_.ns)};
  if (const Json* owner = owner_entry(there)) {
    error.message += printable_line(
        cat(" (of ", lower(text_at(*owner, "/kind")), " ", text_at(*owner, "/name"), ")"));
    error.hint = cat(rename, ": the object is deleted with its job");
  }
  if (job::is_claim(companion.resource)) {
    error.hint = "name a claim that does not exist, or leave out delete-with-job to use this one";
  } else if (is_left_over(companion, there)) {
    error.message += " (left by a submit that was interrupted)";
    error.hint = if_exists_ ? "--if-exists=replace puts the new one in its place" : rename;
  }
  return error;
}

void Companions::record(const job::DependentObject& companion, const Json& object) {
  const bool is_shared = companion.sharing == job::Sharing::by_content;
  transaction_.add(companion.title(), [this, is_shared, &companion, object] {
    return is_shared ? shared_.remove(companion, object) : remove(companion, object);
  });
}

Status Companions::own(const Json& job) {
  const Json reference = kube::owner_reference(manifest_.kind->resource, job);
  for (const Needed& one : needed_) {
    const job::DependentObject& companion = *one.companion;
    const Status owned =
        companion.sharing == job::Sharing::by_content
            ? shared_.own(companion, one.object, reference)
            : become_owner(access_, client_, manifest_.ns, companion, one.object, reference);
    if (!owned) {
      return companion_refused(companion, in_context("the job cannot own it", owned.error()));
    }
  }
  if (shares()) shared_.sweep();
  return {};
}

void Companions::adopt(const Json& job) {
  if (shares()) shared_.adopt(job);
}

Status Companions::check_replaceable(const Json& job) {
  for (const job::DependentObject& companion : manifest_.companions) {
    if (companion.sharing != job::Sharing::none) continue;
    TRY_ASSIGN(const Json there, look_up(companion.resource, companion.name()));
    if (there.is_null() || is_left_over(companion, there)) continue;
    const Json* owner = owner_entry(there);
    const bool goes_with_it =
        owner != nullptr && text_at(*owner, "/uid") == text_at(job, "/metadata/uid");
    if (!goes_with_it) return taken(companion, there);
  }
  return {};
}

// Null when there is none.
Result<Json> Companions::look_up(const kube::Resource& resource, const std::string& name) {
  auto found = client_.get(resource, manifest_.ns, name);
  if (!found && found.error().code == Code::not_found) return Json();
  return found;
}

Status Companions::remove(const job::DependentObject& companion, const Json& object) {
  kube::DeleteOptions options;
  options.uid = text_at(object, "/metadata/uid");
  Status removed = client_.remove(companion.resource, manifest_.ns, companion.name(), options);
  if (!removed && removed.error().code == Code::not_found) return {};
  return removed;
}

}  // namespace trainctl::work
