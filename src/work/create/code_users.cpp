// Lists every kind of job: a job of any kind may have been submitted with `--code`.
#include "work/create/code_users.h"

#include "base/text/text.h"
#include "job/manifest/code.h"
#include "kube/object/metadata.h"
#include "work/find/kind_query.h"

namespace trainctl::work {

std::optional<CodeUser> code_user(const Json& job) {
  const job::Kind* kind = job::kind_of(job);
  const std::string digest = text_at(job::code_of(job), "/digest");
  if (kind == nullptr || digest.empty()) return std::nullopt;
  return CodeUser{digest, kube::owner_reference(kind->resource, job)};
}

bool uses(const CodeUser& user, const Json& map) {
  const std::string label = text_at(map, kube::label_pointer(job::k_label_code));
  return !label.empty() && user.digest.starts_with("sha256:" + label);
}

std::optional<std::vector<CodeUser>> code_users(Access& access, const std::string& ns) {
  const auto answers = ask_of_kinds(access, nullptr, nullptr, [&ns](const job::Kind& kind) {
    return Listing{kind.resource, ns};
  });
  if (!answers) return std::nullopt;
  std::vector<CodeUser> users;
  for (const Listing& listing : answers->listings) {
    if (listing.failure && !kind_missing(*listing.failure)) return std::nullopt;
    for (const Json& job : listing.objects) {
      if (auto user = code_user(job)) users.push_back(*std::move(user));
    }
  }
  return users;
}

}  // namespace trainctl::work
