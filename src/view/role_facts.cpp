// Reads them off the job's replicas, or off the program that it gives to its runtime.
#include "view/role_facts.h"

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "job/manifest/expansion.h"
#include "job/manifest/manifest.h"
#include "job/manifest/runtime_program.h"
#include "job/manifest/secrets.h"

namespace trainctl::view {
namespace {

constexpr int k_command_width = 60;

std::string command_of(const Json& container) {
  std::vector<std::string> words;
  for (const char* part : {"/command", "/args"}) {
    for (const Json& word : job::without_secrets(array_at(container, part))) {
      if (word.is_string())
        words.push_back(shell_quoted(job::expanded(word.get<std::string>(), {})));
    }
  }
  return shortened(printable_line(join(words, " ")), k_command_width);
}

RoleFacts facts_of(const job::Kind& kind, const Json& job, const job::Role& role,
                   const Json& container) {
  return {std::string(role.prefix), cat(job::replica_count(kind, job, role)), "",
          text_at(container, "/image"), command_of(container)};
}

}  // namespace

std::vector<RoleFacts> role_facts(const job::Kind& kind, const Json& job) {
  const Json none = Json::object();
  std::vector<RoleFacts> all;
  for (const job::Replica& replica : job::replicas_of(kind, job)) {
    if (replica.role == nullptr) continue;
    const Json& spec = *replica.spec;
    const Json* found = job::find_container(spec, job::training_container(kind, spec));
    all.push_back(facts_of(kind, job, *replica.role, found == nullptr ? none : *found));
    all.back().restart = job::restart_policy_of(replica);
  }
  if (job::runs_by_runtime(kind)) {
    const Json& program = object_at(job, job::k_runtime_program);
    all.push_back(facts_of(kind, job, *job::find_role(kind, "node"), program));
  }
  return all;
}

}  // namespace trainctl::view
