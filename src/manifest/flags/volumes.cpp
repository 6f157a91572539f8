// Builds flags that mount something: a volume in the pod and its mount in the training container.
#include "manifest/flags/volumes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "kube/object/names.h"
#include "manifest/companions.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/values.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

std::string path_fingerprint(std::string_view text) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const unsigned char c : text) hash = (hash ^ c) * 16777619U;
  std::ostringstream out;
  out << std::hex << std::setw(8) << std::setfill('0') << hash;
  return std::move(out).str();
}

// Volumes are named after the path, not the source: one role's mount replaces the mount of all
// roles at that path, and no unused volume stays attached. Two paths never share a name.
std::string volume_name(std::string_view path) {
  std::string name = "mount";
  bool exact = true;
  for (const std::string& step : split(path.substr(1), '/')) {
    name += '-';
    for (const char c : step) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      exact = exact && plain;
      name += plain ? c : '-';
    }
    exact = exact && !step.empty();
  }
  if (exact && name.size() <= kube::k_dns_label.longest) return name;
  return cat(name.substr(0, 50), '-', path_fingerprint(path));
}

bool leaves_itself(std::string_view path) {
  const std::vector<std::string> steps = split(path, '/');
  return std::ranges::find(steps, "..") != steps.end();
}

Json optional_text(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace

Json mount_patch(const PatchInput& input, const std::vector<Mount>& mounts) {
  const bool propagate = other_value(input, "mount-propagation") != nullptr;
  Json volumes = Json::array();
  Json places = Json::array();
  for (const Mount& mount : mounts) {
    const std::string name = volume_name(mount.path);
    Json volume = {{"name", name}};
    volume.update(mount.source);
    volumes.push_back(std::move(volume));
    places.push_back({{"mountPath", mount.path},
                      {"name", name},
                      {"readOnly", mount.read_only ? Json(true) : Json(nullptr)},
                      {"subPath", optional_text(mount.sub_path)},
                      {"mountPropagation", optional_text(propagate ? "HostToContainer" : "")}});
  }
  const Json container = {{"name", input.container}, {"volumeMounts", std::move(places)}};
  return {{"volumes", std::move(volumes)}, {"containers", Json::array({container})}};
}

Result<std::string> mount_path(std::string_view text, std::string_view path) {
  if (!path.starts_with('/')) return bad_value(text, "has no absolute path to mount at");
  if (path.find(':') != std::string_view::npos) return bad_value(text, "has a ':' in its path");
  if (leaves_itself(path)) return bad_value(text, "has '..' in its path");
  std::string plain;
  for (const std::string& step : split(path, '/')) {
    if (!step.empty() && step != ".") plain += '/' + step;
  }
  if (plain.empty()) {
    return bad_value(text, "would hide all files of the image", "mount it at /data, say");
  }
  return plain;
}

namespace {

// Code::usage for a directory of a volume that the server would refuse.
Status check_sub_path(std::string_view text, std::string_view path) {
  if (path.starts_with('/')) return bad_value(text, "has an absolute path in the volume");
  if (leaves_itself(path)) return bad_value(text, "has '..' in its path in the volume");
  return {};
}

}  // namespace

Result<MountFields> mount_fields(std::string_view text, const std::set<std::string>& known,
                                 const std::set<std::string>& words) {
  MountFields fields;
  for (const std::string& part : split(text, ',')) {
    Halves pair = split_once(part, '=');
    if (pair.first == "readonly" && !pair.found) pair.first = "ro";
    if (!(pair.found ? known : words).contains(pair.first)) {
      std::vector<std::string> shapes;
      for (const std::string& name : known) shapes.push_back(name + '=');
      shapes.insert(shapes.end(), words.begin(), words.end());
      return bad_value(part, "is not a field", cat("write ", join(shapes, ", ")));
    }
    if (!fields.emplace(pair.first, pair.second).second) {
      return bad_value(text, cat("gives ", pair.first, " twice"));
    }
  }
  return fields;
}

std::string field_of(const MountFields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

namespace {

Json claim_source(const std::string& claim) {
  return {{"persistentVolumeClaim", {{"claimName", claim}}}};
}

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
  TRY_ASSIGN(const Json size, check_size(input.values.back()));
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

// Builds flags that make volumes: a claim for the job, a claim for each replica that goes with its
// pod, an empty directory.

namespace {

struct AccessMode {
  const char* word;
  std::string_view mode;
};
constexpr std::array<AccessMode, 3> k_access_modes = {{{"accessmode-rwo", "ReadWriteOnce"},
                                                       {"accessmode-rom", "ReadOnlyMany"},
                                                       {"accessmode-rwm", "ReadWriteMany"}}};

Result<Json> access_modes(std::string_view text, const MountFields& fields) {
  Json modes = Json::array();
  for (const AccessMode& each : k_access_modes) {
    if (fields.contains(each.word)) modes.push_back(each.mode);
  }
  if (modes.size() > 1) return bad_value(text, "has two access modes", "leave one of them out");
  if (modes.empty()) modes.push_back("ReadWriteOnce");
  return modes;
}

Status set_name(std::string_view text, const std::string& name, Json& place) {
  if (name.empty()) return {};
  if (const auto fault = object_name_fault(name); !fault.empty()) {
    return bad_value(text, cat("has an invalid name: it ", fault));
  }
  place = name;
  return {};
}

Result<Json> claim_spec(std::string_view text, const MountFields& fields,
                        std::string_view example) {
  const std::string size = field_of(fields, "size");
  if (size.empty()) return bad_value(text, "has no size", cat("write it like ", example));
  Json spec;
  TRY_ASSIGN(spec["accessModes"], access_modes(text, fields));
  TRY_ASSIGN(spec["resources"]["requests"]["storage"], check_size(size));
  TRY(set_name(text, field_of(fields, "storageclass"), spec["storageClassName"]));
  if (spec["storageClassName"].is_null()) spec.erase("storageClassName");
  return spec;
}

// A claim that is made and deleted with its pod.
Json ephemeral_source(Json spec) {
  Json source;
  source["ephemeral"]["volumeClaimTemplate"]["spec"] = std::move(spec);
  return source;
}

// A new volume may begin as a copy of a claim or of a snapshot.
Status add_data_source(std::string_view text, const MountFields& fields, Json& spec) {
  const std::string claim = field_of(fields, "from-claim");
  const std::string snapshot = field_of(fields, "from-snapshot");
  if (claim.empty() && snapshot.empty()) return {};
  if (!claim.empty() && !snapshot.empty()) {
    return bad_value(text, "copies a claim and a snapshot", "leave out one of them");
  }
  Json source = {{"kind", k_claims.kind}};
  if (claim.empty()) {
    source = {{"apiGroup", "snapshot.storage.k8s.io"}, {"kind", "VolumeSnapshot"}};
  }
  TRY(set_name(text, claim.empty() ? snapshot : claim, source["name"]));
  spec["dataSource"] = std::move(source);
  return {};
}

// "10Gi[:fast]:/scratch", or fields.
Result<MountFields> own_claim_fields(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const bool is_short = parts.size() > 1 && text.find('=') == std::string::npos;
  if (is_short && parts.size() <= 3) {
    MountFields fields = {{"size", parts.front()}, {"path", parts.back()}};
    if (parts.size() == 3) fields["storageclass"] = parts[1];
    return fields;
  }
  TRY_ASSIGN(
      MountFields fields,
      mount_fields(text, {"path", "size", "class", "storageclass", "from-claim", "from-snapshot"},
                   {"accessmode-rwo", "accessmode-rom", "accessmode-rwm", "ro"}));
  if (fields.contains("class")) fields["storageclass"] = fields["class"];
  return fields;
}

constexpr std::string_view k_new_claim_example = "--pvc-new data:10Gi:/data";

// "data:10Gi[:fast]:/data", or Run:ai's fields.
Result<MountFields> new_claim_fields(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const bool is_short = text.find('=') == std::string::npos;
  if (is_short && (parts.size() == 3 || parts.size() == 4)) {
    MountFields fields = {{"claimname", parts[0]}, {"size", parts[1]}, {"path", parts.back()}};
    if (parts.size() == 4) fields["storageclass"] = parts[2];
    return fields;
  }
  if (is_short) {
    return bad_value(text, "is not CLAIM:SIZE[:CLASS]:/PATH",
                     cat("write it like ", k_new_claim_example));
  }
  return mount_fields(
      text, {"claimname", "path", "size", "storageclass"},
      {"accessmode-rwo", "accessmode-rom", "accessmode-rwm", "ro", "ephemeral", "delete-with-job"});
}

// A claim of its own for each replica is made with its pod.
bool is_ephemeral(const MountFields& fields) {
  return fields.contains("ephemeral");
}

// One claim for all replicas, which the job owns.
bool goes_with_job(const MountFields& fields) {
  return fields.contains("delete-with-job");
}

Status check_new_claim(const std::string& text, const MountFields& fields) {
  const std::string name = field_of(fields, "claimname");
  if (is_ephemeral(fields)) {
    if (!goes_with_job(fields)) return {};
    return bad_value(text, "has ephemeral and delete-with-job",
                     "leave out delete-with-job: an ephemeral claim is deleted with its pod");
  }
  if (name.empty()) {
    return bad_value(text, "does not name the claim", cat("write it like ", k_new_claim_example));
  }
  Json ignored;
  return set_name(text, name, ignored);
}

}  // namespace

Result<Json> build_new_pvc(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(MountFields fields, new_claim_fields(text));
    TRY(check_new_claim(text, fields));
    TRY_ASSIGN(fields["path"], mount_path(text, fields["path"]));
    TRY_ASSIGN(Json spec, claim_spec(text, fields, k_new_claim_example));
    Json source = is_ephemeral(fields) ? ephemeral_source(std::move(spec))
                                       : claim_source(field_of(fields, "claimname"));
    mounts.push_back({std::move(source), field_of(fields, "path"), fields.contains("ro")});
  }
  return mount_patch(input, mounts);
}

Result<std::vector<DependentObject>> new_claims(const std::vector<FlagUse>& uses) {
  std::vector<DependentObject> claims;
  for (const FlagUse& use : uses) {
    if (use.flag->name != "pvc-new") continue;
    for (const std::string& text : use.values) {
      TRY_ASSIGN(const MountFields fields, new_claim_fields(text));
      if (is_ephemeral(fields)) continue;
      Json claim = {{"apiVersion", k_claims.api_version()}, {"kind", k_claims.kind}};
      claim["metadata"]["name"] = field_of(fields, "claimname");
      TRY_ASSIGN(claim["spec"], claim_spec(text, fields, k_new_claim_example));
      if (goes_with_job(fields)) {
        claim["metadata"]["annotations"][std::string(k_delete_with_job_annotation)] = "true";
      }
      const auto known =
          std::ranges::find(claims, text_at(claim, "/metadata/name"), &DependentObject::name);
      if (known != claims.end() && known->object != claim) {
        return Error{Code::usage,
                     cat("--pvc-new: claim ", known->name(), " is described in two ways"),
                     "give it the same size, class, access mode and delete-with-job everywhere"};
      }
      const Sharing sharing = goes_with_job(fields) ? Sharing::none : Sharing::kept;
      if (known == claims.end()) claims.push_back({k_claims, std::move(claim), sharing});
    }
  }
  return claims;
}

Result<Json> build_ephemeral_pvc(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(MountFields fields, own_claim_fields(text));
    TRY_ASSIGN(fields["path"], mount_path(text, fields["path"]));
    TRY_ASSIGN(Json spec, claim_spec(text, fields, "--ephemeral-pvc 10Gi:/scratch"));
    TRY(add_data_source(text, fields, spec));
    mounts.push_back(
        {ephemeral_source(std::move(spec)), field_of(fields, "path"), fields.contains("ro")});
  }
  return mount_patch(input, mounts);
}

// Parses "/PATH[:SIZE]" and "/PATH:memory[:SIZE]".
Result<Json> build_scratch(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    std::vector<std::string> parts = split(text, ':');
    TRY_ASSIGN(parts.front(), mount_path(text, parts.front()));
    Json volume = Json::object();
    if (parts.size() > 1 && parts[1] == "memory") {
      volume["medium"] = "Memory";
      parts.erase(parts.begin() + 1);
    }
    if (parts.size() > 2) {
      return bad_value(text, "is not /PATH[:memory][:SIZE]",
                       "write it like --scratch /tmp/data:10Gi");
    }
    if (parts.size() == 2) {
      TRY_ASSIGN(volume["sizeLimit"], check_size(parts.back()));
    }
    mounts.push_back({{{"emptyDir", std::move(volume)}}, parts.front()});
  }
  return mount_patch(input, mounts);
}

}  // namespace trainctl::job
