// Distinguishes refusals that last from those that may pass.
#include "base/text/text.h"
#include "base/value/quantity.h"
#include "check/finding.h"
#include "check/judges.h"
#include "manifest/kinds/pytorch.h"
#include "manifest/manifest.h"

namespace trainctl::job {
namespace {

// "requests.cpu=2,pods=1", as the quota plugin lists amounts.
Amounts listed_amounts(std::string_view list) {
  Json quantities = Json::object();
  for (const std::string& entry : split(list, ',')) {
    const Halves halves = split_once(trim(entry), '=');
    quantities[halves.first] = halves.second;
  }
  return amounts_of(quantities);
}

// True when one pod asks for more than the whole quota.
bool exceeds_whole_quota(std::string_view message) {
  const Amounts limited = listed_amounts(behind(message, "limited: "));
  for (const auto& [resource, asked] :
       listed_amounts(between(message, "requested: ", ", used: "))) {
    const auto limit = limited.find(resource);
    if (limit != limited.end() && asked > limit->second) return true;
  }
  return false;
}

}  // namespace

std::optional<Json> without_init_requests(const Json& pod) {
  Json bare = pod;
  bool is_changed = false;
  Json* inits = find_in(bare, "/spec/initContainers");
  if (inits == nullptr || !inits->is_array()) return std::nullopt;
  for (Json& container : *inits) {
    if (text_at(container, "/name") != k_init_pytorch) continue;
    is_changed = container.erase("resources") > 0;
  }
  return is_changed ? std::optional(std::move(bare)) : std::nullopt;
}

std::optional<Json> without_operators_init(const Json& pod) {
  Json known = pod;
  Json* inits = find_in(known, "/spec/initContainers");
  if (inits == nullptr || !inits->is_array()) return std::nullopt;
  Json others = Json::array();
  for (const Json& container : *inits) {
    if (text_at(container, "/name") != k_init_pytorch) others.push_back(container);
  }
  if (others.size() == inits->size()) return std::nullopt;
  *inits = std::move(others);
  return known;
}

Finding judge_guessed_init(const std::string& subject, const Error& refusal) {
  return {Severity::may_fail, subject,
          cat("refused with the operator's default init container ", k_init_pytorch, ": ",
              refusal.message),
          "the operator's configuration may name another image or resources for it"};
}

Findings judge_bare_init(const std::string& subject, const Error& refusal) {
  const bool demands = refusal.message.find("must specify") != std::string::npos &&
                       refusal.message.find(k_init_pytorch) != std::string::npos;
  if (!demands) return {};
  return {{Severity::may_fail, subject,
           cat("a quota demands requests of the operator's init container ", k_init_pytorch,
               ", which its configuration may leave out: ", refusal.message),
           "give the namespace a LimitRange with default requests and limits"}};
}

Finding judge_refusal(const std::string& subject, const Error& refusal) {
  const std::string& message = refusal.message;
  if (message.find("exceeded quota") != std::string::npos && !exceeds_whole_quota(message)) {
    return {Severity::may_fail, subject, message,
            "end other jobs first: trainctl get --status Running"};
  }
  if (message.find("does not support dry run") != std::string::npos) {
    return {Severity::unchecked, subject, message};
  }
  const bool is_verdict = refusal.code == Code::refused || refusal.code == Code::not_found;
  // A webhook that does not answer now stops the operator just as well.
  if (!is_verdict) return {Severity::may_fail, subject, message, refusal.hint, refusal.code};
  const std::string remedy =
      refusal.hint.empty() ? "change the replica's flags, or ask the namespace's administrator"
                           : refusal.hint;
  return {Severity::fails, subject, message, remedy, refusal.code};
}

namespace {

std::string described(const kube::Action& action) {
  return cat(action.verb, ' ', action.resource.plural,
             action.subresource.empty() ? "" : cat('/', action.subresource));
}

}  // namespace

std::vector<NeededRight> needed_rights(const kube::Resource& jobs) {
  return {{{"create", jobs}, Severity::fails, "the job cannot be created"},
          {{"watch", jobs}, Severity::may_fail, "its verdict cannot be awaited"},
          {{"watch", kube::k_pods},
           Severity::may_fail,
           "its replicas and their logs cannot be followed"},
          {{"get", kube::k_pods, "log"}, Severity::may_fail, "its logs cannot be read"}};
}

Findings judge_right(const NeededRight& right, std::optional<bool> allowed, const std::string& ns) {
  if (allowed.value_or(true)) return {};
  return {
      {right.without, "rights",
       cat("you may not ", described(right.action), " in namespace ", ns, ": ", right.consequence),
       cat("ask your administrator for permission to ", described(right.action)), Code::auth}};
}

}  // namespace trainctl::job
