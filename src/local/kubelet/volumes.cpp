// Provides config maps, secrets, downward API fields, claims and directories as volumes.
#include "local/kubelet/volumes.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "local/kubelet/guard_watch.h"
#include "manifest/environment.h"

namespace trainctl::local {
namespace {

struct KeyedSource {
  std::string_view field;  // field of the volume
  std::string_view name;   // key in that field that names the object
  std::string_view plural;
  std::string_view noun;  // used in "NOUN "x" not found"
  std::string_view missing_key;
};
constexpr KeyedSource k_config_map_source{"configMap", "name", "configmaps", "configmap",
                                          "references non-existent config key: "};
constexpr KeyedSource k_secret_volume{"secret", "secretName", "secrets", "secret",
                                      "references non-existent secret key: "};
constexpr KeyedSource k_secret_projection{"secret", "name", "secrets", "secret",
                                          "references non-existent secret key: "};

Error fault(std::string message) {
  return {Code::error, std::move(message)};
}

bool leaves_its_place(std::string_view path) {
  const auto steps = split(path, '/');
  return path.starts_with('/') || std::ranges::find(steps, "..") != steps.end();
}

Status put_file(const std::string& directory, std::string_view path, const std::string& content,
                std::int64_t mode) {
  if (leaves_its_place(path)) return fault(cat("invalid path: ", path));
  const std::string file = cat(directory, "/", path);
  const std::size_t slash = file.rfind('/');
  const bool made = make_directories(file.substr(0, slash)) && write_file(file, content) &&
                    ::chmod(file.c_str(), static_cast<mode_t>(mode)) == 0;
  if (!made) return fault(cat("cannot write ", file));
  return {};
}

constexpr std::int64_t k_default_mode = 0644;

Status put_keys(const std::string& directory, const Json& source, const KeyedSource& kind,
                std::int64_t mode, const ObjectSource& objects) {
  const std::string name = text_at(source, cat("/", kind.name));
  const bool optional = true_at(source, "/optional");
  const auto object = objects(kind.plural, name);
  if (!object && optional) return {};
  if (!object) return fault(cat(kind.noun, " \"", name, "\" not found"));
  const Json& items = array_at(source, "/items");
  if (items.empty()) {
    for (const auto& [key, value] : all_data_of(*object))
      TRY(put_file(directory, key, value, mode));
    return {};
  }
  for (const Json& item : items) {
    const auto value = data_of(*object, text_at(item, "/key"));
    if (!value && optional) continue;
    if (!value) return fault(cat(kind.missing_key, text_at(item, "/key")));
    TRY(put_file(directory, text_at(item, "/path"), *value, int_at(item, "/mode").value_or(mode)));
  }
  return {};
}

Status put_fields(const std::string& directory, const Json& source, const Json& pod,
                  std::int64_t mode) {
  for (const Json& item : array_at(source, "/items")) {
    std::string value;
    if (const Json* field = find(item, "/fieldRef")) {
      value = job::field_of(pod, text_at(*field, "/fieldPath")).value_or("");
    } else if (const Json* resource = find(item, "/resourceFieldRef")) {
      for (const Json& container : array_at(pod, "/spec/containers")) {
        if (text_at(container, "/name") != text_at(*resource, "/containerName")) continue;
        value = resource_of_container(container, text_at(*resource, "/resource"),
                                      text_at(*resource, "/divisor", "1"));
      }
    }
    TRY(put_file(directory, text_at(item, "/path"), value, int_at(item, "/mode").value_or(mode)));
  }
  return {};
}

Status check_host_path(const Json& source) {
  const std::string path = text_at(source, "/path");
  const std::string type = text_at(source, "/type");
  struct stat info {};
  const bool there = ::stat(path.c_str(), &info) == 0;
  const bool directory = there && S_ISDIR(info.st_mode);
  const auto failed = [&path](std::string_view what) {
    return fault(cat("hostPath type check failed: ", path, " is not ", what));
  };
  if (type.starts_with("Directory") && !directory) return failed("a directory");
  if (type.starts_with("File") && (!there || !S_ISREG(info.st_mode))) return failed("a file");
  if (!there) return fault(cat("hostPath ", path, " does not exist"));
  return {};
}

Status set_up(const Json& pod, const Json& volume, const ObjectSource& objects,
              const VolumePlaces& places) {
  const std::string directory = cat(places.pod_volumes, "/", text_at(volume, "/name"));
  if (!make_directories(directory)) return fault(cat("cannot make ", directory));
  const auto mode_of = [](const Json& source) {
    return int_at(source, "/defaultMode").value_or(k_default_mode);
  };
  if (const Json* source = find(volume, "/configMap")) {
    return put_keys(directory, *source, k_config_map_source, mode_of(*source), objects);
  }
  if (const Json* source = find(volume, "/secret")) {
    return put_keys(directory, *source, k_secret_volume, mode_of(*source), objects);
  }
  if (const Json* source = find(volume, "/downwardAPI")) {
    return put_fields(directory, *source, pod, mode_of(*source));
  }
  if (const Json* source = find(volume, "/hostPath")) return check_host_path(*source);
  if (const Json* projected = find(volume, "/projected")) {
    const auto mode = mode_of(*projected);
    for (const Json& source : array_at(*projected, "/sources")) {
      if (const Json* part = find(source, "/configMap")) {
        TRY(put_keys(directory, *part, k_config_map_source, mode, objects));
      }
      if (const Json* part = find(source, "/secret")) {
        TRY(put_keys(directory, *part, k_secret_projection, mode, objects));
      }
      if (const Json* part = find(source, "/downwardAPI")) {
        TRY(put_fields(directory, *part, pod, mode));
      }
    }
    return {};
  }
  if (find(volume, "/emptyDir") || find(volume, "/persistentVolumeClaim")) return {};
  for (const auto& [type, source] : volume.items()) {
    if (type == "name") continue;
    return fault(cat("the embedded cluster has no volumes of type ", type));
  }
  return {};
}

const Json* volume_named(const Json& pod, std::string_view name) {
  for (const Json& volume : array_at(pod, "/spec/volumes")) {
    if (text_at(volume, "/name") == name) return &volume;
  }
  return nullptr;
}

bool is_always_read_only(const Json& volume) {
  return find(volume, "/configMap") || find(volume, "/secret") || find(volume, "/downwardAPI") ||
         find(volume, "/projected");
}

std::string directory_of_volume(const Json& volume, const VolumePlaces& places) {
  if (find(volume, "/hostPath")) return text_at(volume, "/hostPath/path");
  if (find(volume, "/persistentVolumeClaim")) {
    return places.claim(text_at(volume, "/persistentVolumeClaim/claimName"));
  }
  return cat(places.pod_volumes, "/", text_at(volume, "/name"));
}

std::string without_end_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<Mount> mount_of(const Json& pod, const Json& wanted, const VolumePlaces& places,
                       const Variables& variables) {
  const std::string name = text_at(wanted, "/name");
  const Json* volume = volume_named(pod, name);
  if (!volume) return fault(cat("volume \"", name, "\" not found"));
  Mount mount;
  mount.source = directory_of_volume(*volume, places);
  mount.target = without_end_slash(text_at(wanted, "/mountPath"));
  if (!mount.target.starts_with('/')) mount.target = cat("/", mount.target);
  mount.read_only = true_at(wanted, "/readOnly") || is_always_read_only(*volume) ||
                    true_at(*volume, "/persistentVolumeClaim/readOnly");
  std::string sub_path = text_at(wanted, "/subPath");
  if (sub_path.empty()) sub_path = job::expanded(text_at(wanted, "/subPathExpr"), variables);
  if (sub_path.empty()) return mount;
  if (leaves_its_place(sub_path)) return fault(cat("invalid subPath: ", sub_path));
  mount.source = cat(mount.source, "/", sub_path);
  // Like the kubelet, creates a missing subPath as a directory.
  if (::access(mount.source.c_str(), F_OK) != 0 && !make_directories(mount.source)) {
    return fault(cat("failed to prepare subPath for volumeMount \"", name, "\""));
  }
  return mount;
}

}  // namespace

Status set_up_volumes(const Json& pod, const ObjectSource& objects, const VolumePlaces& places) {
  for (const Json& volume : array_at(pod, "/spec/volumes")) {
    if (auto done = set_up(pod, volume, objects, places); !done) {
      return in_context(
          cat("MountVolume.SetUp failed for volume \"", text_at(volume, "/name"), "\" "),
          std::move(done).error());
    }
  }
  return {};
}

Result<std::vector<Mount>> container_mounts(const Json& pod, const Json& container,
                                            const VolumePlaces& places, const Variables& variables,
                                            std::string_view why_not) {
  std::vector<Mount> mounts;
  for (const Json& wanted : array_at(container, "/volumeMounts")) {
    TRY_ASSIGN(Mount mount, mount_of(pod, wanted, places, variables));
    // A directory of this machine mounted at its own path is already visible.
    if (mount.source == mount.target && !mount.read_only) continue;
    if (!why_not.empty()) {
      return fault(cat("cannot mount volume \"", text_at(wanted, "/name"), "\" at ", mount.target,
                       ": ", why_not));
    }
    mounts.push_back(std::move(mount));
  }
  std::ranges::stable_sort(mounts,
                           [](const Mount& a, const Mount& b) { return a.target < b.target; });
  return mounts;
}

}  // namespace trainctl::local
