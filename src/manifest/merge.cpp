// Elements with a merge key of the API come together; a few lists without one are collected.
#include "manifest/merge.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace trainctl::job {

namespace {

// A variable has a value or a source, never a mix: the merge of the API would make one.
constexpr std::string_view k_replaced = "env";

// Lists without a key whose elements stand beside each other ("add", "drop": Linux capabilities).
constexpr std::array<std::string_view, 4> k_appended = {"tolerations", "envFrom", "add", "drop"};

// A row for each list whose elements are matched by a key: the patchMergeKey tags of
// k8s.io/api/core/v1 and apimachinery's metadata. A list may occur twice here: a service's ports
// have another key than a container's.
struct MergeKey {
  std::string_view list;      // the field that holds the list, anywhere in an object
  std::string_view key;       // the field that identifies an element
  bool retains_keys = false;  // an element keeps only the fields that the patch names
};
constexpr MergeKey k_merge_keys[] = {
    {"containers", "name"},
    {"initContainers", "name"},
    {"ephemeralContainers", "name"},
    {"env", "name"},
    {"volumes", "name", true},
    {"volumeMounts", "mountPath"},
    {"volumeDevices", "devicePath"},
    {"ports", "containerPort"},
    {"ports", "port"},
    {"imagePullSecrets", "name"},
    {"hostAliases", "ip"},
    {"ownerReferences", "uid"},
    {"conditions", "type"},
    {"secrets", "name"},
    {"addresses", "type"},
    {"podIPs", "ip"},
    {"hostIPs", "ip"},
    {"topologySpreadConstraints", "topologyKey"},
    {"schedulingGates", "name"},
    {"resourceClaims", "name", true},
    {"resourceClaimStatuses", "name", true},
    {"allocatedResourcesStatus", "name"},
};

const MergeKey* merge_key_of(std::string_view list) {
  const auto* found = std::ranges::find(k_merge_keys, list, &MergeKey::list);
  return found == std::end(k_merge_keys) ? nullptr : found;
}

bool is_appended(std::string_view list) {
  return std::ranges::find(k_appended, list) != k_appended.end();
}

void append_unless_present(Json& list, const Json& element) {
  if (std::ranges::find(list, element) == list.end()) list.push_back(element);
}

void drop_fields_missing_in(Json& element, const Json& patch) {
  for (auto field = element.begin(); field != element.end();) {
    field = patch.contains(field.key()) ? std::next(field) : element.erase(field);
  }
}

void merge_element(Json& list, const Json& patch, const MergeKey& row) {
  const std::string key(row.key);
  if (!patch.is_object() || !patch.contains(key)) return append_unless_present(list, patch);

  const auto same_key = [&](const Json& element) {
    return element.is_object() && element.contains(key) && element[key] == patch[key];
  };
  const auto found = std::ranges::find_if(list, same_key);
  if (patch.contains("$patch") && patch["$patch"] == "delete") {
    if (found != list.end()) list.erase(found);
    return;
  }
  if (found == list.end()) {
    Json added = Json::object();
    strategic_merge(added, patch);
    list.push_back(std::move(added));
    return;
  }
  if (row.list == k_replaced) *found = Json::object();
  if (row.retains_keys) drop_fields_missing_in(*found, patch);
  strategic_merge(*found, patch);
}

void merge_list(Json& base, const Json& patch, std::string_view name) {
  const MergeKey* row = merge_key_of(name);
  if (row == nullptr && !is_appended(name)) {
    base = patch;
    return;
  }
  if (!base.is_array()) base = Json::array();
  for (const Json& element : patch) {
    if (row != nullptr) {
      merge_element(base, element, *row);
    } else {
      append_unless_present(base, element);
    }
  }
}

void merge_field(Json& object, const std::string& key, const Json& patch) {
  if (patch.is_null()) {
    object.erase(key);
  } else if (patch.is_array()) {
    merge_list(object[key], patch, key);
  } else if (patch.is_object() && !(object.contains(key) && object[key].is_object())) {
    Json created = Json::object();
    strategic_merge(created, patch);
    if (!created.empty() || patch.empty()) object[key] = std::move(created);
  } else if (patch.is_object()) {
    strategic_merge(object[key], patch);
  } else {
    object[key] = patch;
  }
}

}  // namespace

void strategic_merge(Json& base, const Json& patch) {
  if (!patch.is_object()) {
    base = patch;
    return;
  }
  if (!base.is_object()) base = Json::object();
  for (const auto& [key, value] : patch.items()) merge_field(base, key, value);
}

}  // namespace trainctl::job
