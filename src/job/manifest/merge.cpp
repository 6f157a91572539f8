// The merge keys are those of the pod API's patchMergeKey tags (k8s.io/api/core/v1/types.go).
#include "job/manifest/merge.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainctl::job {

namespace {

// How two elements with the same key come together.
enum class Union {
  merged,    // field by field
  one_kind,  // field by field, without the fields the patch leaves out: a volume has one source
  replaced,  // an environment variable has a value or a source, never a mix
};

struct MergeKey {
  std::string_view list;
  std::string_view key;
  Union how;
};

constexpr std::array k_merge_keys = {
    MergeKey{"containers", "name", Union::merged},
    MergeKey{"initContainers", "name", Union::merged},
    MergeKey{"env", "name", Union::replaced},
    MergeKey{"volumes", "name", Union::one_kind},
    MergeKey{"volumeMounts", "mountPath", Union::merged},
    MergeKey{"volumeDevices", "devicePath", Union::merged},
    MergeKey{"ports", "containerPort", Union::merged},
    MergeKey{"imagePullSecrets", "name", Union::replaced},
    MergeKey{"hostAliases", "ip", Union::merged},
};

// Lists without a key whose elements stand beside each other ("add", "drop": Linux capabilities).
constexpr std::array<std::string_view, 4> k_appended = {"tolerations", "envFrom", "add", "drop"};

const MergeKey* merge_key_of(std::string_view list) {
  const auto found = std::find_if(k_merge_keys.begin(), k_merge_keys.end(),
                                  [list](const MergeKey& row) { return row.list == list; });
  return found == k_merge_keys.end() ? nullptr : &*found;
}

bool is_appended(std::string_view list) {
  return std::find(k_appended.begin(), k_appended.end(), list) != k_appended.end();
}

void append_unless_present(Json& list, const Json& element) {
  if (std::find(list.begin(), list.end(), element) == list.end()) list.push_back(element);
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
  const auto found = std::find_if(list.begin(), list.end(), same_key);
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
  if (row.how == Union::replaced) *found = Json::object();
  if (row.how == Union::one_kind) drop_fields_missing_in(*found, patch);
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
