// Names volumes after the paths at which they are mounted.
#include "job/manifest/mount.h"

#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <vector>

#include "base/text/text.h"
#include "job/manifest/flag_values.h"
#include "kube/object/names.h"

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

Status check_sub_path(std::string_view text, std::string_view path) {
  if (path.starts_with('/')) return bad_value(text, "has an absolute path in the volume");
  if (leaves_itself(path)) return bad_value(text, "has '..' in its path in the volume");
  return {};
}

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

}  // namespace trainctl::job
