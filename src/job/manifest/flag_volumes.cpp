// Builds flags that mount something: a volume in the pod and its mount in the training container.
#include "base/text/text.h"
#include "job/kind/names.h"
#include "job/manifest/flag_builders.h"
#include "job/manifest/flag_values.h"
#include "job/manifest/mount.h"

namespace trainctl::job {

namespace {

constexpr std::string_view k_large_shared_memory = "16Gi";

// Parses "CLAIM[/SUBPATH]:/PATH[:ro]".
Result<Mount> claim_from(std::string_view text) {
  const std::vector<std::string> parts = split(text, ':');
  const bool creates = parts.size() >= 3 && !parts[1].starts_with('/');
  if (creates || parts[0].empty()) {
    return bad_value(text, "asks for a new claim, and --pvc mounts an existing one",
                     "--pvc-new CLAIM:SIZE:/PATH creates one");
  }
  if (parts.size() < 2 || parts.size() > 3) return bad_value(text, "is not CLAIM:/PATH[:ro]");
  if (parts.size() == 3 && parts[2] != "ro" && parts[2] != "rw") {
    return bad_value(text, "is not CLAIM:/PATH[:ro]");
  }
  const Halves claim = split_once(parts[0], '/');
  if (const auto fault = object_name_fault(claim.first); !fault.empty()) {
    return bad_value(claim.first, fault);
  }
  TRY(check_sub_path(text, claim.second));
  TRY_ASSIGN(std::string path, mount_path(text, parts[1]));
  return Mount{claim_source(claim.first), std::move(path), parts.size() == 3 && parts[2] == "ro",
               claim.second};
}

// Parses "/SOURCE:/PATH[:ro|rw][:NFSHOST]"; the default host comes from --nfs-server.
Result<Mount> volume_from(const PatchInput& input, std::string_view text) {
  std::vector<std::string> parts = split(text, ':');
  const std::string* server = other_value(input, "nfs-server");
  std::string host = server == nullptr ? "" : *server;
  bool read_only = false;
  if (parts.size() >= 3 && (parts[2] == "ro" || parts[2] == "rw")) {
    read_only = parts[2] == "ro";
    parts.erase(parts.begin() + 2);
  }
  if (parts.size() == 3) host = parts[2];
  if (parts.size() < 2 || parts.size() > 3 || !parts[0].starts_with('/') ||
      (parts.size() == 3 && host.empty())) {
    return bad_value(text, "is not /SOURCE:/PATH[:ro][:NFSHOST]");
  }
  TRY_ASSIGN(parts[1], mount_path(text, parts[1]));
  if (host.empty()) return Mount{{{"hostPath", {{"path", parts[0]}}}}, parts[1], read_only};
  return Mount{{{"nfs", {{"server", host}, {"path", parts[0]}}}}, parts[1], read_only};
}

// Parses "NAME:/PATH" or "name=NAME,path=/PATH".
Result<Halves> name_and_path(std::string_view text) {
  Halves halves = split_once(text, ':');
  if (!halves.found) {
    TRY_ASSIGN(MountFields fields, mount_fields(text, {"name", "path"}));
    halves = {fields["name"], fields["path"], true};
  }
  if (const auto fault = object_name_fault(halves.first); !fault.empty()) {
    return bad_value(text, cat("has an invalid name: it ", fault));
  }
  TRY_ASSIGN(halves.second, mount_path(text, halves.second));
  return halves;
}

template <typename Source>
Result<Json> build_named_volume(const PatchInput& input, Source source) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(const Halves halves, name_and_path(text));
    mounts.push_back({source(halves.first), halves.second, true});
  }
  return mount_patch(input, mounts);
}

}  // namespace

Result<Json> build_pvc(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(Mount mount, claim_from(text));
    mounts.push_back(std::move(mount));
  }
  return mount_patch(input, mounts);
}

Result<Json> build_pvc_exists(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(MountFields fields, mount_fields(text, {"claimname", "path", "subpath"}, {"ro"}));
    if (const auto fault = object_name_fault(fields["claimname"]); !fault.empty()) {
      return bad_value(text, cat("has an invalid claimname: it ", fault));
    }
    TRY_ASSIGN(fields["path"], mount_path(text, fields["path"]));
    TRY(check_sub_path(text, fields["subpath"]));
    mounts.push_back({claim_source(fields["claimname"]), fields["path"], fields.contains("ro"),
                      fields["subpath"]});
  }
  return mount_patch(input, mounts);
}

Result<Json> build_volume(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(Mount mount, volume_from(input, text));
    mounts.push_back(std::move(mount));
  }
  return mount_patch(input, mounts);
}

Result<Json> build_config_map_volume(const PatchInput& input) {
  return build_named_volume(input, [](const std::string& name) {
    return Json{{"configMap", {{"name", name}}}};
  });
}

Result<Json> build_secret_volume(const PatchInput& input) {
  return build_named_volume(input, [](const std::string& name) {
    return Json{{"secret", {{"secretName", name}}}};
  });
}

Result<Json> build_shm_size(const PatchInput& input) {
  TRY_ASSIGN(const Json size, check_amount(input.values.back()));
  return shared_memory(input.container, size.get_ref<const std::string&>());
}

Result<Json> build_large_shm(const PatchInput& input) {
  if (other_value(input, "shm-size") != nullptr) return Json::object();
  return shared_memory(input.container, k_large_shared_memory);
}

Json shared_memory(std::string_view container, std::string_view size) {
  const Json volume = {{"name", "dshm"}, {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", size}}}};
  const Json place = {{"mountPath", k_shared_memory_path}, {"name", "dshm"}};
  const Json mounting = {{"name", container}, {"volumeMounts", Json::array({place})}};
  return {{"volumes", Json::array({volume})}, {"containers", Json::array({mounting})}};
}

}  // namespace trainctl::job
