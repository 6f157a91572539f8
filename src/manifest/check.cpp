// Checks the job's name, replicas and policies: faults that the webhooks refuse, and faults that
// nothing else refuses.
#include "manifest/check.h"

#include <algorithm>
#include <set>

#include "base/result.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/quantity.h"
#include "kube/object/names.h"
#include "manifest/check_fields.h"
#include "manifest/flags/values.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/names.h"
#include "manifest/kind/replica.h"
#include "manifest/manifest.h"
#include "manifest/program.h"

namespace trainctl::job {
namespace {

// A container: its pointer, its JSON, and the manifest around it.
struct ContainerAt {
  const Json& manifest;
  std::string pointer;
  const Json& value;
};

Status check_env(const ContainerAt& container) {
  const Json& variables = array_at(container.value, "/env");
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string place = cat(container.pointer, "/env/", i);
    const std::string name = text_at(variables[i], "/name");
    if (const auto fault = variable_name_fault(name); !fault.empty()) {
      return manifest_fault(place, cat("the name '", printable_line(name), "' ", fault));
    }
    const Json* value = find(variables[i], "/value");
    if (value != nullptr && !value->is_string() && !value->is_null()) {
      return manifest_fault(place, cat("the value of ", name, " is not text"), "put it in quotes");
    }
  }
  return {};
}

Status check_ports(const ContainerAt& container) {
  const Json& ports = array_at(container.value, "/ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto number = int_at(ports[i], "/containerPort");
    if (number && (*number < 1 || *number > 65535)) {
      return manifest_fault(cat(container.pointer, "/ports/", i, "/containerPort"),
                            cat(*number, " is no port"), "ports are numbers from 1 to 65535");
    }
    const std::string name = text_at(ports[i], "/name");
    if (name.empty()) continue;
    if (const auto fault = port_name_fault(name); !fault.empty()) {
      return manifest_fault(cat(container.pointer, "/ports/", i, "/name"),
                            cat('\'', printable_line(name), "' ", fault));
    }
  }
  return {};
}

// A quantity may be written as a number.
std::string amount_text(const Json& amount) {
  return amount.is_string() ? amount.get<std::string>() : dump(amount);
}

Status check_amounts(const ContainerAt& container, const std::string& section) {
  for (const auto& [name, amount] : object_at(container.value, "/resources/" + section).items()) {
    const std::string place =
        cat(container.pointer, "/resources/", section, '/', pointer_step(name));
    if (amount.is_null()) {
      return manifest_fault(place, "is empty", "write an amount behind it, or leave it out");
    }
    const std::string text = amount_text(amount);
    if (auto checked = checked_quantity(text); !checked) {
      return manifest_fault(place, checked.error().message, checked.error().hint);
    }
    const bool is_device = name.find('/') != std::string::npos;
    if (is_device && quantity_milli(text) % 1000 != 0) {
      return manifest_fault(place, cat(text, " is not a whole number"),
                            "devices cannot be shared by fractions");
    }
  }
  return {};
}

Status check_resources(const ContainerAt& container) {
  TRY(check_amounts(container, "limits"));
  TRY(check_amounts(container, "requests"));
  const Json& limits = object_at(container.value, "/resources/limits");
  for (const auto& [name, request] : object_at(container.value, "/resources/requests").items()) {
    const std::string place = cat(container.pointer, "/resources/requests/", pointer_step(name));
    const bool is_device = name.find('/') != std::string::npos;
    if (!limits.contains(name)) {
      if (is_device) return manifest_fault(place, "has no limit", "write the count under limits");
      continue;
    }
    const std::string limit = amount_text(limits[name]);
    const std::string asked = amount_text(request);
    if (quantity_milli(asked) > quantity_milli(limit)) {
      return manifest_fault(place, cat(asked, " is more than the limit of ", limit));
    }
    if (is_device && quantity_milli(asked) != quantity_milli(limit)) {
      return manifest_fault(place, cat(asked, " differs from the limit of ", limit));
    }
  }
  return {};
}

Status check_mounts(const ContainerAt& container, const std::set<std::string>& volumes) {
  std::set<std::string> paths;
  const Json& mounts = array_at(container.value, "/volumeMounts");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string place = cat(container.pointer, "/volumeMounts/", i);
    const std::string name = text_at(mounts[i], "/name");
    const std::string path = text_at(mounts[i], "/mountPath");
    if (!volumes.contains(name)) {
      return manifest_fault(place, cat("the pod has no volume '", printable_line(name), "'"));
    }
    if (path.empty()) return manifest_fault(place, "has no mountPath");
    if (!paths.insert(path).second) {
      return manifest_fault(place, cat(printable_line(path), " is mounted twice"));
    }
  }
  return {};
}

// Within a volume, wherever modes of files stand. YAML takes 0644 as octal and 644 as decimal.
Status check_modes(const Json& value, const std::string& pointer) {
  constexpr std::int64_t k_most = 0777;
  if (!value.is_structured()) return {};
  for (const auto& [key, field] : value.items()) {
    const std::string place = cat(pointer, '/', pointer_step(key));
    TRY(check_modes(field, place));
    if ((key != "mode" && key != "defaultMode") || !field.is_number_integer()) continue;
    const auto mode = field.get<std::int64_t>();
    if (mode >= 0 && mode <= k_most) continue;
    return manifest_fault(place, cat(mode, " is not a file mode from 0 to 0777"),
                          "modes are octal: write 0644");
  }
  return {};
}

Status check_container(const ContainerAt& container) {
  const std::string name = text_at(container.value, "/name");
  if (const auto fault = dns_label_fault(name); !fault.empty()) {
    return manifest_fault(container.pointer, cat("the name '", printable_line(name), "' ", fault));
  }
  if (trim(text_at(container.value, "/image")).empty()) {
    return manifest_fault(container.pointer, cat("container ", name, " has no image"),
                          "--image IMAGE");
  }
  TRY(check_field(container.manifest, container.pointer + "/image", check_image));
  TRY(check_field(container.manifest, container.pointer + "/imagePullPolicy", check_pull_policy));
  TRY(check_env(container));
  TRY(check_ports(container));
  return check_resources(container);
}

Status check_containers(const Kind& kind, const ContainerAt& pod) {
  std::set<std::string> volumes;
  for (const Json& volume : array_at(pod.value, "/volumes")) {
    const std::string name = text_at(volume, "/name");
    if (volumes.insert(name).second) continue;
    return manifest_fault(pod.pointer + "/volumes",
                          cat("two are named '", printable_line(name), "'"));
  }
  TRY(check_modes(array_at(pod.value, "/volumes"), pod.pointer + "/volumes"));
  const std::string pointer = pod.pointer + "/containers";
  const Json& containers = array_at(pod.value, "/containers");
  if (containers.empty()) return manifest_fault(pointer, "there are none");
  std::set<std::string> names;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const ContainerAt container{pod.manifest, cat(pointer, '/', i), containers[i]};
    TRY(check_container(container));
    TRY(check_mounts(container, volumes));
    if (!names.insert(text_at(containers[i], "/name")).second) {
      return manifest_fault(container.pointer, "has the name of another container");
    }
  }
  if (!kind.container_required || names.contains(std::string(kind.container))) return {};
  return manifest_fault(
      pointer, cat("none is named ", kind.container),
      cat("the operator looks for it: name the training container ", kind.container));
}

// The server accepts any pod template in a job. If the pod is invalid, the operator's create then
// fails repeatedly, and the job shows no status. Refuses such templates.
Status check_pod(const Kind& kind, const Json& manifest, const Replica& replica) {
  TRY(check_metadata(manifest, replica.pointer + std::string(k_pod_metadata)));
  const Json& pod = object_at(*replica.spec, k_pod_spec);
  return check_containers(kind, {manifest, replica.pointer + std::string(k_pod_spec), pod});
}

Status check_identity(const Kind& kind, const Json& manifest) {
  if (kind_of(manifest) == &kind) return {};
  return Error{
      Code::usage,
      cat("the manifest's kind is not ", kind.resource.kind, " of ", kind.resource.api_version()),
      ""};
}

Status check_length(std::size_t length, std::size_t limit, std::string_view pointer,
                    std::string_view flag) {
  if (length <= limit) return {};
  return manifest_fault(pointer,
                        cat("has ", length, " characters; at most ", limit,
                            " leave room for the names of "
                            "its replicas"),
                        cat("the cluster would accept it but never run it: shorten ", flag));
}

// Requires one of the blank-separated values, where the operator ignores a job with another.
Status check_choice(const Json& manifest, const std::string& pointer, std::string_view choices) {
  const std::string value = text_at(manifest, pointer);
  const auto known = split(choices, ' ');
  if (value.empty() || choices.empty() || std::ranges::find(known, value) != known.end()) return {};
  return manifest_fault(pointer,
                        cat('\'', printable_line(value), "' is none of ", join(known, ", ")),
                        "the cluster would accept the job but never run it: choose one of these");
}

// The last of each role, which has the longest name of all.
std::vector<ReplicaId> last_replicas(const Kind& kind, const Json& manifest) {
  std::vector<ReplicaId> last;
  for (const Role& role : kind.roles) {
    const int count = replica_count(kind, manifest, role);
    if (count > 0) last.push_back({&role, count - 1});
  }
  return last;
}

Status check_name(const Kind& kind, const Json& manifest) {
  const std::string name = text_at(manifest, "/metadata/name");
  const std::string stem = text_at(manifest, "/metadata/generateName");
  const std::size_t limit = longest_name(kind, last_replicas(kind, manifest));
  if (!name.empty()) {
    TRY(check_length(name.size(), limit, "/metadata/name", "--name"));
    const auto fault = job_name_fault(kind, name);
    if (fault.empty()) return {};
    return manifest_fault("/metadata/name", cat('\'', printable_line(name), "' ", fault));
  }
  if (stem.empty()) return manifest_fault("/metadata/name", "is missing", "--name NAME");
  TRY(check_length(std::min(stem.size(), kube::k_generated_stem), limit - kube::k_generated_tail,
                   "/metadata/generateName", "--job-name-prefix"));
  const auto fault = job_name_fault(kind, stem.substr(0, kube::k_generated_stem) + 'x');
  if (fault.empty()) return {};
  return manifest_fault("/metadata/generateName", cat('\'', printable_line(stem), "' ", fault));
}

Status check_count_of(const Kind& kind, const Json& manifest, const Replica& replica) {
  const std::string pointer = replica.pointer + "/replicas";
  TRY(check_number(manifest, pointer, 0));
  const Role& role = *replica.role;
  const auto count = int_at(manifest, pointer);
  if (count > k_most_replicas) {
    return manifest_fault(pointer, cat(*count, " is more than the ", k_most_replicas,
                                       " replicas that a role may have"));
  }
  if (role.count_required && count != 1) {
    return manifest_fault(pointer, count ? "must be 1" : "is missing; it must be 1",
                          cat("ranks are counted from a single ", role.name));
  }
  if (role.never_empty && replica_count(kind, manifest, role) == 0) {
    return manifest_fault(pointer, "asks for no replica",
                          "the cluster would accept the job but never run it: leave out the role");
  }
  if (role.single && count.value_or(1) > 1) {
    return manifest_fault(pointer, cat(kind.resource.kind, "s have at most one ", role.name));
  }
  return {};
}

std::string role_names(const Kind& kind) {
  std::vector<std::string> names;
  for (const Role& role : kind.roles) names.emplace_back(role.name);
  return cat("the roles of ", kind.resource.kind, "s are ", join(names, ", "));
}

Status check_replica(const Kind& kind, const Json& manifest, const Replica& replica) {
  if (replica.role == nullptr) {
    return manifest_fault(replica.pointer, "is not a role", role_names(kind));
  }
  TRY(check_count_of(kind, manifest, replica));
  TRY(check_choice(manifest, replica.pointer + "/restartPolicy", kind.controller.restart_policies));
  return check_pod(kind, manifest, replica);
}

Status check_leaders(const Kind& kind, const std::vector<Replica>& replicas) {
  const auto leaders =
      std::ranges::count_if(replicas, [](const Replica& one) { return one.role->leads(); });
  if (leaders > 1) return manifest_fault(kind.replica_specs, "has more than one leading role");
  if (leaders == 1 || !kind.requires_leader()) return {};
  return manifest_fault(kind.replica_specs, cat("has no ", kind.roles.front().name),
                        cat(kind.resource.kind, "s cannot run without it"));
}

Status check_replicas(const Kind& kind, const Json& manifest) {
  const auto replicas = replicas_of(kind, manifest);
  if (replicas.empty()) {
    return manifest_fault(kind.replica_specs, "is empty",
                          "the cluster would accept the job but never run it: ask for --workers=1");
  }
  int pods = 0;
  for (const Replica& replica : replicas) {
    TRY(check_replica(kind, manifest, replica));
    pods += replica_count(kind, manifest, *replica.role) > 0 ? 1 : 0;
  }
  if (pods == 0) return manifest_fault(kind.replica_specs, "asks for no replica at all");
  return check_leaders(kind, replicas);
}

Status check_run_policy(const Kind& kind, const Json& manifest) {
  const std::string policy(kind.controller.run_policy);
  TRY(check_field(manifest, policy + "/cleanPodPolicy", check_clean_pod_policy));
  TRY(check_choice(manifest, policy + "/managedBy", kind.controller.managed_by_values));
  TRY(check_number(manifest, policy + "/backoffLimit", 0));
  TRY(check_number(manifest, policy + "/ttlSecondsAfterFinished", 0));
  return check_number(manifest, policy + "/activeDeadlineSeconds", 1);
}

Status check_sizes(const Json& manifest) {
  for (const SizeAt& size : sizes_in(manifest)) {
    if (auto checked = checked_size(size.text); !checked) {
      return manifest_fault(size.pointer, checked.error().message, checked.error().hint);
    }
  }
  return {};
}

// Fields that only one kind has; another's manifest does not hold them.
Status check_own_fields(const Json& manifest) {
  if (!text_at(manifest, "/spec/successPolicy").empty()) {
    TRY(check_field(manifest, "/spec/successPolicy", check_success_policy));
  }
  TRY(check_field(manifest, "/spec/nprocPerNode", check_processes));
  TRY(check_number(manifest, "/spec/slotsPerWorker", 1));
  TRY(check_field(manifest, "/spec/elasticPolicy/rdzvBackend", check_rendezvous_backend));
  TRY(check_number(manifest, "/spec/elasticPolicy/minReplicas", 1));
  TRY(check_number(manifest, "/spec/elasticPolicy/maxReplicas", 1));
  const auto least = int_at(manifest, "/spec/elasticPolicy/minReplicas");
  const auto most = int_at(manifest, "/spec/elasticPolicy/maxReplicas");
  if (!least || !most || *least <= *most) return {};
  return manifest_fault("/spec/elasticPolicy", cat("at least ", *least, " workers and at most ",
                                                   *most, " contradict each other"));
}

}  // namespace

std::size_t longest_name(const Kind& kind, const std::vector<ReplicaId>& replicas) {
  const std::size_t limit = kube::k_dns_1035.longest;
  if (!kind.service_per_pod) return limit;
  const PodNaming& naming = kind.controller.pod_naming;
  const std::size_t tail =
      naming.random_tail > 0 && naming.tail_behind_index ? naming.random_tail + 1 : 0;
  std::size_t longest = 0;
  for (const ReplicaId& replica : replicas) {
    longest = std::max(longest, pod_name(kind, "", replica).size());
  }
  return limit - longest - tail;
}

Status check_manifest(const Kind& kind, const Json& manifest) {
  TRY(check_encoding(manifest));
  TRY(check_identity(kind, manifest));
  TRY(check_fields(kind.schema_type(), manifest));
  TRY(check_sizes(manifest));
  TRY(runs_by_runtime(kind) ? check_runtime_program(kind, manifest)
                            : check_replicas(kind, manifest));
  TRY(check_texts(kind.schema_type(), manifest));
  TRY(check_name(kind, manifest));
  TRY(check_metadata(manifest, "/metadata"));
  TRY(check_run_policy(kind, manifest));
  return check_own_fields(manifest);
}

}  // namespace trainctl::job
