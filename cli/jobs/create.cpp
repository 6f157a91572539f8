// Create, and the three ways it can go other than well: the name is taken, the answer is lost, the
// server refuses.
#include "cli/jobs/create.h"

#include "base/text.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/removal.h"

namespace trainctl::cli {
namespace {

class Creation {
 public:
  Creation(Context& context, kube::Client& client, const Manifest& manifest)
      : context_(context),
        client_(client),
        manifest_(manifest),
        name_(text_at(manifest.object, "/metadata/name")),
        mark_(context.unique_id()) {}

  Result<Created> run(IfExists if_exists, std::optional<Duration> timeout) {
    auto first = attempt();
    if (first || !taken_) return first;
    switch (if_exists) {
      case IfExists::fail:
        return name_taken();
      case IfExists::skip:
        context_.console.notice(cat(title(), " already exists; left as it is"));
        return Created{std::move(*taken_), false};
      case IfExists::attach:
        context_.console.notice(cat(title(), " already exists; attaching to it"));
        return Created{std::move(*taken_), false};
      case IfExists::replace:
        break;
    }
    context_.console.notice(cat(title(), " already exists; replacing it"));
    const WaitLimit limit{timeout, context_.loop.now()};
    TRY(remove_job(context_, *manifest_.kind, *taken_));
    TRY(wait_until_gone(context_, *manifest_.kind, *taken_, limit));
    taken_.reset();
    auto second = attempt();
    if (!second && taken_) return name_taken();
    if (second) second->waited = context_.loop.now() - limit.begin;
    return second;
  }

 private:
  // Sets taken_ when somebody else's object has the name.
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
    if (!exists) context_.console.notice(cat(why.message, "; looking whether the job was created"));
    auto found = name_.empty() ? find_generated() : find_named();
    if (!found) {
      Error error = why;
      error.hint =
          "whether the job was created is not known: look with trainctl get before you submit "
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

  Error name_taken() const {
    return {Code::refused, cat(title(), " already exists in namespace ", manifest_.ns),
            "choose another --name, or --if-exists=replace|attach|skip"};
  }

  Context& context_;
  kube::Client& client_;
  const Manifest& manifest_;
  std::string name_;  // "" when the server makes one
  std::string mark_;
  std::optional<Json> taken_;
};

}  // namespace

Result<Created> create_job(Context& context, const Manifest& manifest, IfExists if_exists,
                           std::optional<Duration> timeout) {
  TRY_ASSIGN(kube::Client * client, context.client());
  return Creation(context, *client, manifest).run(if_exists, timeout);
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
