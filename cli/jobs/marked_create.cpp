// Reads back by name, or by the mark where the server generates the name.
#include "cli/jobs/marked_create.h"

#include <optional>

#include "base/text.h"
#include "kube/metadata.h"

namespace trainctl::cli {
namespace {

// More simultaneous submits of one name than any pipeline starts on purpose.
constexpr int k_rivals = 20;

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

// nullopt: the name was taken, and is free again.
std::optional<Outcome> read_back(Context& context, kube::Client& client, const MarkedObject& marked,
                                 const Error& why, bool exists) {
  const std::string& noun = marked.noun;
  if (!exists) {
    context.console.notice(cat(why.message, "; checking whether the ", noun, " was created"));
  }
  const std::string name = text_at(marked.object, "/metadata/name");
  auto found = name.empty() ? find_generated(client, marked) : find_named(client, marked, name);
  if (!found) {
    return not_made(why,
                    cat("it is not known whether the ", noun, " was created: check with ",
                        marked.check, " before you submit again"),
                    true);
  }
  if (found->is_null() && exists && !name.empty()) return std::nullopt;
  if (found->is_null()) {
    return not_made(why, cat("the ", noun, " was not created: submit it again"), false);
  }
  if (mark_of(*found) == marked.mark) return Made{*std::move(found)};
  return Taken{*std::move(found), why};
}

}  // namespace

std::string mark_of(const Json& object) {
  return text_at(object, kube::annotation_pointer(k_submission_annotation));
}

Outcome create_marked(Context& context, kube::Client& client, const MarkedObject& marked) {
  Json object = marked.object;
  object["metadata"]["annotations"][std::string(k_submission_annotation)] = marked.mark;
  // Only what was refused for certain is sent again: others may replace the job at the same time.
  std::optional<Outcome> outcome;
  for (int round = 0; round < k_rivals && !outcome; ++round) {
    auto answer = client.create(marked.resource, marked.ns, object);
    if (auto* created = std::get_if<Json>(&answer)) return Made{std::move(*created)};
    auto& failure = std::get<kube::Failure>(answer);
    const bool exists = failure.refusal.reason == "AlreadyExists";
    const bool unsure = failure.refusal.status == 0 || failure.refusal.status >= 500;
    if (!exists && !(unsure && failure.error.code == Code::unreachable)) {
      return NotMade{std::move(failure.error)};
    }
    if (failure.unsent) return NotMade{std::move(failure.error)};
    outcome = read_back(context, client, marked, failure.error, exists);
  }
  if (outcome) return *std::move(outcome);
  return NotMade{
      {Code::refused,
       cat("the name of the ", marked.noun, " was taken by others each time it had become free"),
       "who else uses this name? choose another"}};
}

}  // namespace trainctl::cli
