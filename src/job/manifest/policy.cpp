// Reads a site's policy and checks rendered manifests by it. A convenience for users: whoever talks
// to the API server without trainctl is bound by the cluster's admission only.
#include "job/manifest/policy.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/config_text.h"
#include "job/kind/names.h"
#include "job/manifest/check_fields.h"
#include "job/manifest/image_name.h"
#include "job/manifest/manifest.h"
#include "job/manifest/program.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_keys[] = {"registries", "required-labels"};

// "/etc/trainctl/config.yaml:3: "; a key that shares a line with its mapping has the line of that.
std::string place_of(const PolicyText& text, std::vector<std::string> path) {
  int line = config_line(text.content, path);
  for (; line == 0 && path.size() > 1; line = config_line(text.content, path)) path.pop_back();
  return line == 0 ? cat(text.file, ": ") : cat(text.file, ':', line, ": ");
}

Error bad_policy(const PolicyText& text, std::string_view key, std::string_view why,
                 std::string hint) {
  return {Code::usage, cat(place_of(text, {"policy", std::string(key)}), "policy.", key, ' ', why),
          std::move(hint)};
}

Result<AllowedPrefix> read_prefix(const Json& value, const PolicyText& text) {
  constexpr const char* k_hint = "write prefixes of images: [registry.example.com/, ghcr.io/acme/]";
  if (!value.is_string())
    return bad_policy(text, k_keys[0], "has an entry that is not text", k_hint);
  const auto& prefix = value.get_ref<const std::string&>();
  auto full = full_image_prefix(prefix);
  if (full) return AllowedPrefix{prefix, *std::move(full)};
  return bad_policy(text, k_keys[0], cat('`', printable_line(prefix), "` ", full.error().message),
                    k_hint);
}

// One element: `cost-center`, or `team: [vision, speech]`.
Result<RequiredLabel> read_label(const Json& value, const PolicyText& text) {
  constexpr const char* k_hint =
      "write names of labels, with the values they may have: [cost-center, team: [vision, speech]]";
  const auto bad = [&](std::string_view why) { return bad_policy(text, k_keys[1], why, k_hint); };
  const bool has_values = value.is_object() && value.size() == 1;
  if (!value.is_string() && !has_values) return bad("has an entry that is not a label");
  RequiredLabel label;
  label.name = has_values ? value.begin().key() : value.get<std::string>();
  const std::string shown = printable_line(label.name);
  if (const auto fault = qualified_name_fault(label.name); !fault.empty()) {
    return bad(cat("has the label `", shown, "`, which ", fault));
  }
  if (!has_values) return label;
  const Json& values = value.begin().value();
  if (!values.is_array()) return bad(cat("takes a list of values for ", shown));
  if (values.empty()) return bad(cat("allows no value for ", shown));
  for (const Json& each : values) {
    if (!each.is_string() || each.get_ref<const std::string&>().empty()) {
      return bad(cat("has a value for ", shown, " that is not text; put it in quotes"));
    }
    const auto& allowed = label.values.emplace_back(each.get<std::string>());
    if (const auto fault = label_value_fault(allowed); !fault.empty()) {
      return bad(
          cat("has the value `", printable_line(allowed), "` for ", shown, ", which ", fault));
    }
  }
  return label;
}

Status read_registries(const Json& list, const PolicyText& text, Policy& policy) {
  if (!list.is_array() || list.empty()) {
    return bad_policy(text, k_keys[0],
                      list.is_array() ? "is empty: it would allow no image" : "is not a list",
                      "write prefixes of images, or remove the line to allow all");
  }
  for (const Json& each : list) {
    TRY_ASSIGN(policy.registries.emplace_back(), read_prefix(each, text));
  }
  return {};
}

Status read_labels(const Json& list, const PolicyText& text, Policy& policy) {
  if (!list.is_array() || list.empty()) {
    return bad_policy(text, k_keys[1], list.is_array() ? "is empty" : "is not a list",
                      "write names of labels: [team, cost-center]");
  }
  for (const Json& each : list) {
    TRY_ASSIGN(RequiredLabel label, read_label(each, text));
    const bool is_known = std::ranges::any_of(
        policy.labels, [&](const RequiredLabel& one) { return one.name == label.name; });
    if (is_known) {
      return bad_policy(text, k_keys[1], cat("has ", label.name, " twice"),
                        "write each label once, with all its values");
    }
    policy.labels.push_back(std::move(label));
  }
  return {};
}

std::string written_prefixes(const Policy& policy) {
  std::vector<std::string> all;
  for (const AllowedPrefix& prefix : policy.registries) all.push_back(prefix.written);
  return join(all, ", ");
}

// "registry.example.com/python:3" for "docker.io/library/python:3".
std::string right_image(const Policy& policy, std::string_view image) {
  std::string_view last = image.substr(0, image.find('@'));
  last.remove_prefix(last.rfind('/') == std::string_view::npos ? 0 : last.rfind('/') + 1);
  const std::string& prefix = policy.registries.front().written;
  return cat(prefix, prefix.ends_with('/') ? "" : "/", printable_line(last));
}

Status check_image_at(const Policy& policy, const Json& holder, std::string_view key,
                      const std::string& pointer) {
  const auto found = holder.is_object() ? holder.find(std::string(key)) : holder.end();
  if (found == holder.end() || !found->is_string()) return {};
  const auto& image = found->get_ref<const std::string&>();
  const std::string fault = image_fault(policy, image);
  if (fault.empty() || image.empty()) return {};
  return manifest_fault(cat(pointer, '/', key), fault,
                        cat("allowed: ", written_prefixes(policy), "; for example --image ",
                            right_image(policy, image)));
}

// Checks every list of containers and every image volume below `value`, so that no part of a
// manifest that a later Kubernetes adds escapes.
Status check_images(const Policy& policy, const Json& value, const std::string& pointer) {
  if (!value.is_structured()) return {};
  for (const auto& [key, child] : value.items()) {
    const std::string place = cat(pointer, '/', pointer_step(key));
    const bool holds_containers = key == "containers" || key == "initContainers";
    if (child.is_array() && (holds_containers || key == "volumes")) {
      for (std::size_t i = 0; i < child.size(); ++i) {
        const std::string element = cat(place, '/', i);
        if (holds_containers) TRY(check_image_at(policy, child[i], "image", element));
        if (holds_containers || !child[i].is_object() || !child[i].contains("image")) continue;
        TRY(check_image_at(policy, child[i]["image"], "reference", element + "/image"));
      }
    }
    TRY(check_images(policy, child, place));
  }
  return {};
}

Status check_labels(const Policy& policy, const Json& manifest, const std::string& metadata) {
  const std::string pointer = metadata + "/labels";
  const Json& labels = object_at(manifest, pointer);
  for (const RequiredLabel& label : policy.labels) {
    const std::string value = text_at(labels, '/' + pointer_step(label.name));
    const std::string fault =
        value.empty() ? cat("label ", label.name, " is missing; ", k_site_file, " requires it")
                      : label_fault(policy, label.name, value);
    if (fault.empty()) continue;
    const std::string right = label.values.empty() ? "VALUE" : label.values.front();
    return manifest_fault(pointer, fault, cat("--label ", label.name, '=', right));
  }
  return {};
}

// Checks the values of required labels wherever a manifest sets labels, as in a TrainJob's patches
// of its runtime.
Status check_label_values(const Policy& policy, const Json& value, const std::string& pointer) {
  if (!value.is_structured()) return {};
  for (const auto& [key, child] : value.items()) {
    const std::string place = cat(pointer, '/', pointer_step(key));
    for (const RequiredLabel& label : policy.labels) {
      if (key != "labels" || !child.is_object() || !child.contains(label.name)) continue;
      const std::string fault =
          label_fault(policy, label.name, text_at(child, '/' + pointer_step(label.name)));
      if (!fault.empty())
        return manifest_fault(place, fault, "set an allowed one, or leave it out");
    }
    TRY(check_label_values(policy, child, place));
  }
  return {};
}

}  // namespace

Result<Policy> read_policy(const Json& value, const PolicyText& text) {
  if (!value.is_object() || value.empty()) {
    return Error{Code::usage,
                 cat(place_of(text, {"policy"}), "policy is ",
                     value.is_object() ? "empty" : "not a mapping of keys to values"),
                 "write it as `policy: {registries: [registry.example.com/]}`"};
  }
  Policy policy;
  for (const auto& [key, part] : value.items()) {
    if (key == k_keys[0]) {
      TRY(read_registries(part, text, policy));
    } else if (key == k_keys[1]) {
      TRY(read_labels(part, text, policy));
    } else {
      return Error{Code::usage,
                   cat(place_of(text, {"policy", key}), "policy has no key ", printable_line(key)),
                   cat("its keys are ", k_keys[0], " and ", k_keys[1])};
    }
  }
  return policy;
}

std::string image_fault(const Policy& policy, std::string_view image) {
  const std::string name = full_image_name(image);
  const bool is_allowed =
      policy.registries.empty() ||
      std::ranges::any_of(policy.registries, [&name](const AllowedPrefix& prefix) {
        return is_image_below(name, prefix.full);
      });
  if (is_allowed) return "";
  const bool is_short = !image.starts_with(name);
  return cat(printable_line(image), is_short ? cat(" (", printable_line(name), ')') : "",
             " is not from a registry that ", k_site_file, " allows");
}

std::string label_fault(const Policy& policy, std::string_view name, std::string_view value) {
  for (const RequiredLabel& label : policy.labels) {
    const bool is_free = label.values.empty() || label.name != name;
    if (is_free || std::ranges::find(label.values, value) != label.values.end()) continue;
    return cat(name, '=', printable_line(value), " is not a value that ", k_site_file,
               " allows: ", join(label.values, ", "));
  }
  return "";
}

Status check_policy(const Policy& policy, const Kind& kind, const Json& manifest,
                    const std::vector<Companion>& companions) {
  TRY(check_images(policy, manifest, ""));
  if (runs_by_runtime(kind)) {
    const std::string program(k_runtime_program);
    TRY(check_image_at(policy, object_at(manifest, program), "image", program));
  }
  for (const Companion& companion : companions) {
    if (companion.resource.plural != k_training_runtimes.plural) continue;
    Status checked = check_images(policy, companion.object, "");
    if (!checked) return in_context(companion.title(), std::move(checked).error());
  }
  TRY(check_labels(policy, manifest, "/metadata"));
  for (const Replica& replica : replicas_of(kind, manifest)) {
    TRY(check_labels(policy, manifest, replica.pointer + std::string(k_pod_metadata)));
  }
  return check_label_values(policy, manifest, "");
}

}  // namespace trainctl::job
