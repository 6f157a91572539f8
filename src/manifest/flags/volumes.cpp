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

Json claim_source(const std::string& claim) {
  return {{"persistentVolumeClaim", {{"claimName", claim}}}};
}

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

}  // namespace trainctl::job
