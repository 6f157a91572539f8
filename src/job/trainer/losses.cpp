// The reasons, by the part of the pointer that they are about.
#include "job/trainer/losses.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

namespace {

struct Reason {
  std::string_view part, why, instead;
};

constexpr std::array<Reason, 8> k_reasons = {{
    {"/elasticPolicy/", "a TrainJob has a fixed number of nodes", ""},
    {"/cleanPodPolicy", "a TrainJob keeps its pods after success and deletes them after failure",
     ""},
    {"/schedulingPolicy/", "only a runtime can schedule pods together",
     "a Kueue queue admits all of a job at once"},
    {"/successPolicy", "every node of a TrainJob must succeed", ""},
    {"/managedBy", "it names a controller of v1 jobs", ""},
    {"/backoffLimit", "only a runtime can set it", ""},
    {"/ttlSecondsAfterFinished", "only a runtime can set it", ""},
    {"/restartPolicy", "a node restarts only after a failure", ""},
}};

}  // namespace

Json take(Json& object, std::string_view pointer) {
  const auto slash = pointer.rfind('/');
  Json* parent = find_in(object, pointer.substr(0, slash));
  const std::string key = key_of_step(pointer.substr(slash + 1));
  if (parent == nullptr || !parent->is_object() || !parent->contains(key)) return nullptr;
  Json value = std::move((*parent)[key]);
  parent->erase(key);
  return value;
}

void lose(const std::string& pointer, const Json& value, std::vector<Loss>& losses) {
  if (value.is_null()) return;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      lose(cat(pointer, '/', pointer_step(key)), member, losses);
    }
    return;
  }
  const auto known = std::ranges::find_if(k_reasons, [&](const Reason& reason) {
    return pointer.find(reason.part) != std::string::npos;
  });
  if (known == k_reasons.end()) {
    losses.push_back({pointer, "only a runtime can set it", ""});
    return;
  }
  losses.push_back({pointer, std::string(known->why), std::string(known->instead)});
}

void lose_pod(const std::string& pointer, Json pod_template, std::vector<Loss>& losses) {
  const Json containers = array_at(pod_template, "/spec/containers");
  if (!containers.empty()) pod_template["spec"].erase("containers");
  lose(pointer, pod_template, losses);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    Json container = containers[i];
    container.erase("name");
    lose(cat(pointer, "/spec/containers/", i), container, losses);
  }
}

}  // namespace trainctl::job
