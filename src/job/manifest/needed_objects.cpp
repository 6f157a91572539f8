// Finds the references by the names of their fields, wherever in a pod they stand.
#include "job/manifest/needed_objects.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "job/manifest/claims.h"
#include "job/manifest/companions.h"

namespace trainctl::job {
namespace {

// A reference in the field `key`: an object whose field `name` is the name, a list of such objects,
// or with `name` "" the name itself.
struct Mention {
  std::string_view key;
  std::string_view name;
  const kube::Resource& resource;
  Need need = Need::required;
};
constexpr std::array k_mentions = {
    Mention{"configMap", "name", k_config_maps},
    Mention{"configMapRef", "name", k_config_maps},
    Mention{"configMapKeyRef", "name", k_config_maps},
    Mention{"secret", "secretName", k_secrets},
    Mention{"secret", "name", k_secrets},
    Mention{"secretRef", "name", k_secrets},
    Mention{"secretKeyRef", "name", k_secrets},
    Mention{"imagePullSecrets", "name", k_secrets, Need::image_pull},
    Mention{"persistentVolumeClaim", "claimName", k_claims},
    Mention{"serviceAccountName", "", k_service_accounts},
    Mention{"priorityClassName", "", k_priority_classes},
    Mention{"runtimeClassName", "", k_runtime_classes},
};

void add_keys(const Json& at, std::set<std::string>& keys) {
  const auto add = [&keys](const Json& holder) {
    if (std::string key = text_at(holder, "/key"); !key.empty()) keys.insert(std::move(key));
  };
  add(at);
  for (const Json& item : array_at(at, "/items")) add(item);
}

// The smaller one is the stricter.
void add(NeededObject object, std::vector<NeededObject>& needed) {
  if (object.name.empty()) return;
  const auto same = std::ranges::find_if(
      needed, [&object](const NeededObject& one) { return one.title() == object.title(); });
  if (same == needed.end()) return needed.push_back(std::move(object));
  same->need = std::min(same->need, object.need);
  same->keys.merge(object.keys);
}

void add(const Mention& mention, const Json& at, std::vector<NeededObject>& needed) {
  if (at.is_array()) {
    for (const Json& one : at) add(mention, one, needed);
    return;
  }
  NeededObject object{mention.resource,
                      text_at(at, mention.name.empty() ? "" : cat('/', mention.name)),
                      true_at(at, "/optional") ? Need::optional : mention.need};
  if (object.need == Need::required) add_keys(at, object.keys);
  add(std::move(object), needed);
}

void collect(const Json& value, std::vector<NeededObject>& needed) {
  if (value.is_array()) {
    for (const Json& one : value) collect(one, needed);
  }
  if (!value.is_object()) return;
  for (const auto& [key, field] : value.items()) {
    for (const Mention& mention : k_mentions) {
      if (key == mention.key && field.is_string() == mention.name.empty()) {
        add(mention, field, needed);
      }
    }
    collect(field, needed);
  }
}

}  // namespace

std::string NeededObject::title() const {
  return title_of(resource, name);
}

bool NeededObject::is_namespaced() const {
  return resource.plural != k_priority_classes.plural &&
         resource.plural != k_runtime_classes.plural;
}

std::vector<NeededObject> needed_objects(const Json& manifest) {
  std::vector<NeededObject> needed;
  if (const Json* spec = find(manifest, "/spec")) collect(*spec, needed);
  return needed;
}

}  // namespace trainctl::job
