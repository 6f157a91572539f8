// Creates a job, and handles the three other outcomes: the name is taken, the answer is lost, the
// server refuses.
#include "cli/jobs/create.h"

#include "base/text.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/namesakes.h"
#include "cli/jobs/removal.h"

namespace trainctl::cli {
namespace {

// More simultaneous submits of one name than any pipeline starts on purpose.
constexpr int k_rivals = 20;

class Creation {
 public:
  Creation(Context& context, kube::Client& client, const Manifest& manifest)
      : context_(context),
        client_(client),
        manifest_(manifest),
        name_(text_at(manifest.object, "/metadata/name")),
        mark_(context.unique_id()) {}

  Result<Created> run(IfExists if_exists, const CreateLimits& limits) {
    auto first = attempt();
    if (first || !taken_) return first;
    switch (if_exists) {
      case IfExists::fail:
        return name_taken();
      case IfExists::skip:
        return keep(limits.stays ? "; following it as it is" : "; left as it is");
      case IfExists::attach:
        return keep("; attaching to it as it is: what was typed here is not used");
      case IfExists::replace:
        break;
    }
    return replace(limits.deadline);
  }

 private:
  Result<Created> keep(std::string_view what_becomes_of_it) {
    context_.console.notice(cat(title(), " already exists (", namesake(), ")", what_becomes_of_it));
    return Created{std::move(*taken_), false};
  }

  // Others may replace the job at the same time: the last one to create it gets the name. Each of
  // them creates once, so this terminates.
  Result<Created> replace(const std::optional<Deadline>& deadline) {
    for (int round = 0; taken_ && round < k_rivals; ++round) {
      context_.console.notice(cat(title(), " already exists (", namesake(), "); replacing it"));
      TRY(remove_job(context_, *manifest_.kind, *taken_));
      if (const Status gone = wait_until_gone(context_, *manifest_.kind, *taken_, deadline);
          !gone) {
        return never_replaced(gone.error());
      }
      taken_.reset();
      auto again = attempt();
      if (again || !taken_) return again;
    }
    return Error{Code::refused,
                 cat(title(), " was created again by others each time it had been deleted"),
                 "who else submits a job of this name? choose another --name"};
  }

  // The old job is deleted by then, whatever becomes of the new one.
  Error never_replaced(Error why) const {
    why.message += cat("; ", title(), " was deleted, and the new one was not created");
    if (why.code == Code::timeout) why.hint = "submit it again, with a longer --timeout";
    return why;
  }

  // Tries to create the job; sets taken_ when somebody else's object has the name.
  Result<Created> attempt() {
    Json object = manifest_.object;
    object["metadata"]["annotations"][std::string(k_submission_annotation)] = mark_;
    auto answer = client_.create(manifest_.kind->resource, manifest_.ns, object);
    if (auto* created = std::get_if<Json>(&answer)) return Created{std::move(*created)};
    const auto& failure = std::get<kube::Failure>(answer);
    const bool exists = failure.refusal.reason == "AlreadyExists";
    const bool unsure = failure.refusal.status == 0 || failure.refusal.status >= 500;
    if (!exists && !(unsure && failure.error.code == Code::unreachable)) return failure.error;
    if (failure.unsent) return failure.error;
    return read_back(failure.error, exists);
  }

  Result<Created> read_back(const Error& why, bool exists) {
    if (!exists)
      context_.console.notice(cat(why.message, "; checking whether the job was created"));
    auto found = name_.empty() ? find_generated() : find_named();
    if (!found) {
      Error error = why;
      error.hint =
          "it is not known whether the job was created: check with trainctl get before you submit "
          "again";
      return error;
    }
    if (found->is_null()) {
      Error error = why;
      error.hint = "the job was not created: submit it again";
      return error;
    }
    const std::string mark =
        text_at(*found, cat("/metadata/annotations/", pointer_step(k_submission_annotation)));
    if (mark == mark_) return Created{std::move(*found)};
    taken_ = std::move(*found);
    return why;
  }

  // The object of that name; null when there is none.
  Result<Json> find_named() {
    auto found = client_.get(manifest_.kind->resource, manifest_.ns, name_);
    if (!found && found.error().code == Code::not_found) return Json();
    return found;
  }

  // The one object that carries this submission's mark; null when there is none.
  Result<Json> find_generated() {
    Json ours;
    const std::string where = cat("/metadata/annotations/", pointer_step(k_submission_annotation));
    TRY(client_.list(manifest_.kind->resource, manifest_.ns, {}, [&](const Json& page) {
      for (const Json& item : array_at(page, "/items")) {
        if (text_at(item, where) == mark_) ours = item;
      }
    }));
    return ours;
  }

  std::string title() const { return cat(lower(manifest_.kind->resource.kind), " ", name_); }

  std::string namesake() const {
    return describe_namesake(context_, {manifest_.kind, *taken_, ""});
  }

  Error name_taken() const {
    return {Code::refused,
            cat(title(), " already exists in namespace ", manifest_.ns, " (", namesake(), ")"),
            "choose another --name, or --if-exists=replace|attach|skip"};
  }

  Context& context_;
  kube::Client& client_;
  const Manifest& manifest_;
  std::string name_;  // "" when the server generates one
  std::string mark_;
  std::optional<Json> taken_;
};

}  // namespace

Result<Created> create_job(Context& context, const Manifest& manifest, IfExists if_exists,
                           const CreateLimits& limits) {
  TRY_ASSIGN(kube::Client * client, context.client());
  return Creation(context, *client, manifest).run(if_exists, limits);
}

Result<Json> dry_run_on_server(Context& context, const Manifest& manifest) {
  TRY_ASSIGN(kube::Client * client, context.client());
  kube::CreateOptions options;
  options.dry_run = true;
  auto answer = client->create(manifest.kind->resource, manifest.ns, manifest.object, options);
  if (auto* failure = std::get_if<kube::Failure>(&answer)) return std::move(failure->error);
  return std::get<Json>(std::move(answer));
}

}  // namespace trainctl::cli
