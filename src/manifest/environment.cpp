// Sets for workers without a master what training-operator's pytorch/envvar.go sets with one, and
// the variables of PyTorch's flight recorder.
#include "manifest/environment.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "kube/object/metadata.h"
#include "manifest/elastic.h"
#include "manifest/flags/values.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::job {
namespace {

std::int64_t rendezvous_port(const Kind& kind, const Json& worker) {
  const OperatedKind& row = *kind.operated;
  const Json* container = find_container(worker, kind.container);
  if (container == nullptr) return row.port;
  for (const Json& port : array_at(*container, "/ports")) {
    if (text_at(port, "/name") == row.port_name) {
      return int_at(port, "/containerPort").value_or(row.port);
    }
  }
  return row.port;
}

// The order matters: a reference sees only the variables before it.
std::vector<Json> rendezvous(const Kind& kind, const Json& manifest, const Json& worker) {
  const std::string address = cat("$(", k_job_variable, ")-worker-0");
  const std::string port = std::to_string(rendezvous_port(kind, worker));
  return {from_label(k_job_variable, k_label_job_name),
          kube::variable("MASTER_ADDR", address),
          kube::variable("MASTER_PORT", port),
          kube::variable("PET_MASTER_ADDR", address),
          kube::variable("PET_MASTER_PORT", port),
          kube::variable("WORLD_SIZE", std::to_string(world_size(kind, manifest))),
          from_label("RANK", k_label_index),
          from_label("PET_NODE_RANK", k_label_index)};
}

bool sets_variable(const Json& container, std::string_view name) {
  return has_named(array_at(container, "/env"), name);
}

void add_variable(Json& container, const Json& variable) {
  Json& present = container["env"];
  if (!present.is_array()) present = Json::array();
  present.push_back(variable);
}

void add_missing(Json& container, const std::vector<Json>& variables) {
  for (const Json& variable : variables) {
    if (!sets_variable(container, text_at(variable, "/name"))) add_variable(container, variable);
  }
}

// PyTorch's names for one setting: that of all releases, and that of newer ones, which wins there.
struct RecorderSetting {
  std::string_view name, newer_name;
  std::string_view value;
};
constexpr RecorderSetting k_recorder_settings[] = {
    {"TORCH_NCCL_TRACE_BUFFER_SIZE", "TORCH_FR_BUFFER_SIZE", "2000"},
    {"TORCH_NCCL_DUMP_ON_TIMEOUT", "", "1"},
    {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "TORCH_FR_DUMP_TEMP_FILE", "/tmp/nccl_trace_rank_"},
    {"TORCH_NCCL_DEBUG_INFO_PIPE_FILE", "", "/tmp/nccl_trace_ask_"},
};

// A value of the user's under either name counts for both.
void add_recorder(Json& container) {
  for (const RecorderSetting& setting : k_recorder_settings) {
    const std::string_view names[] = {setting.name, setting.newer_name};
    const bool is_set = std::ranges::any_of(names, [&container](std::string_view name) {
      return !name.empty() && sets_variable(container, name);
    });
    if (is_set) continue;
    for (const std::string_view name : names) {
      if (!name.empty()) add_variable(container, kube::variable(name, setting.value));
    }
  }
}

// The words may be those of a shell. Accelerate starts its processes by torchrun's launcher.
bool names_torchrun(const Json& words) {
  const auto names_one = [](const std::string& text) {
    return text.find("torchrun") != std::string::npos ||
           text.find("torch.distributed.") != std::string::npos ||
           text.find("accelerate launch") != std::string::npos;
  };
  std::vector<std::string> texts;
  for (const Json& word : words) {
    if (word.is_string()) texts.push_back(word.get<std::string>());
  }
  return names_one(join(texts, " "));
}

}  // namespace

const Json* last_variable(const Json& container, std::string_view name) {
  const Json* last = nullptr;
  for (const Json& variable : array_at(container, "/env")) {
    if (view_at(variable, "/name") == name) last = &variable;
  }
  return last;
}

void add_rendezvous_environment(const Kind& kind, Json& manifest) {
  if (kind.leader != Leader::rendezvous || find(manifest, "/spec/elasticPolicy") != nullptr) return;
  const auto replicas = replicas_of(kind, manifest);
  for (const Replica& replica : replicas) {
    if (replica.role == nullptr || replica.role->leads()) return;
  }
  for (const Replica& replica : replicas) {
    Json* containers = find_in(manifest, replica.pointer + "/template/spec/containers");
    if (containers == nullptr || !containers->is_array()) continue;
    const auto variables = rendezvous(kind, manifest, *replica.spec);
    for (Json& container : *containers) {
      if (container.is_object()) add_missing(container, variables);
    }
  }
}

void add_flight_recorder(const Kind& kind, Json& manifest) {
  for_each_training_container(kind, manifest,
                              [](const Replica&, Json& container) { add_recorder(container); });
}

void add_shutdown_timeout(const Kind& kind, Json& manifest) {
  const bool is_elastic = find(manifest, k_elastic_policy) != nullptr;
  for_each_training_container(kind, manifest, [&](const Replica& replica, Json& container) {
    const auto period = int_at(*replica.spec, cat(k_pod_spec, "/terminationGracePeriodSeconds"));
    const bool is_torchrun = is_elastic || names_torchrun(array_at(container, "/command")) ||
                             names_torchrun(array_at(container, "/args"));
    if (!period || !is_torchrun) return;
    add_missing(container, {kube::variable("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", *period)});
  });
}

namespace {

constexpr std::string_view k_python_path = "PYTHONPATH";

Status put_in_front(std::string_view path, Json& container) {
  if (!sets_variable(container, k_python_path)) {
    add_variable(container, kube::variable(k_python_path, path));
    return {};
  }
  for (Json& variable : container["env"]) {
    if (text_at(variable, "/name") != k_python_path) continue;
    if (find(variable, "/valueFrom") != nullptr) {
      return Error{Code::usage, "--with: PYTHONPATH comes from an object of the cluster",
                   "give its value: --env PYTHONPATH=/PATH"};
    }
    const std::string present = text_at(variable, "/value");
    variable["value"] = present.empty() ? std::string(path) : cat(path, ':', present);
  }
  return {};
}

}  // namespace

Status add_python_path(const Kind& kind, std::string_view init_name, std::string_view path,
                       Json& manifest) {
  Status status;
  for_each_training_container(kind, manifest, [&](const Replica& replica, Json& container) {
    const Json& inits = array_at(*replica.spec, "/template/spec/initContainers");
    if (status && has_named(inits, init_name)) status = put_in_front(path, container);
  });
  return status;
}

std::string expanded(std::string_view text, const Variables& variables) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c != '$' || at + 1 == text.size()) {
      result += c;
      ++at;
      continue;
    }
    const char next = text[at + 1];
    const std::size_t close = next == '(' ? text.find(')', at + 2) : std::string_view::npos;
    if (close == std::string_view::npos) {
      result += next == '$' ? "$" : cat('$', next);
      at += 2;
      continue;
    }
    const auto name = text.substr(at + 2, close - at - 2);
    const auto found = variables.find(name);
    result += found != variables.end() ? found->second : cat("$(", name, ")");
    at = close + 1;
  }
  return result;
}

std::string unexpanded(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t dollars = std::min(text.find_first_not_of('$'), text.size());
    const char next = dollars < text.size() ? text[dollars] : '\0';
    // A single dollar is literal, as in "$HOME", except before "(" and bytes beyond ASCII: the
    // kubelet reads one byte behind it and writes it as a code point.
    const bool plain = dollars == 1 && next != '(' && static_cast<unsigned char>(next) < 0x80;
    result.append(plain ? dollars : 2 * dollars, '$');
    text.remove_prefix(dollars);
    const std::size_t other = std::min(text.find('$'), text.size());
    result += text.substr(0, other);
    text.remove_prefix(other);
  }
  return result;
}

namespace {

struct DownwardField {
  std::string_view path;
  std::string_view pointer;
};
constexpr DownwardField k_fields[] = {
    {"metadata.name", "/metadata/name"},
    {"metadata.namespace", "/metadata/namespace"},
    {"metadata.uid", "/metadata/uid"},
    {"spec.nodeName", "/spec/nodeName"},
    {"spec.serviceAccountName", "/spec/serviceAccountName"},
    {"status.hostIP", "/status/hostIP"},
    {"status.podIP", "/status/podIP"},
    {"status.hostIPs", "/status/hostIP"},
    {"status.podIPs", "/status/podIP"},
};

// All labels or annotations, as a downwardAPI file shows them: key="value" by line, sorted.
std::string all_of_map(const Json& map) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : map.items()) lines.push_back(cat(key, "=", dump(value)));
  std::ranges::sort(lines);
  return join(lines, "\n");
}

// "metadata.labels['KEY']" gives KEY.
std::optional<std::string_view> subscript(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix) || !path.ends_with("']")) return std::nullopt;
  path.remove_prefix(prefix.size());
  if (!path.starts_with("['") || path.size() < 4) return std::nullopt;
  return path.substr(2, path.size() - 4);
}

}  // namespace

std::optional<std::string> field_of(const Json& pod, std::string_view path) {
  for (const auto& field : k_fields) {
    if (field.path == path) return text_at(pod, field.pointer);
  }
  for (const std::string_view part : {"labels", "annotations"}) {
    const std::string prefix = cat("metadata.", part);
    if (path == prefix) return all_of_map(object_at(pod, cat("/metadata/", part)));
    if (const auto key = subscript(path, prefix)) {
      return text_at(pod, cat("/metadata/", part, "/", pointer_step(*key)));
    }
  }
  return std::nullopt;
}

std::optional<std::string> resource_of(const Json& container, std::string_view resource,
                                       std::string_view divisor) {
  const auto [part, name, found] = split_once(resource, '.');
  const Json* amount = find(container, cat("/resources/", part, "/", pointer_step(name)));
  if (amount == nullptr && part == "requests") {
    amount = find(container, cat("/resources/limits/", pointer_step(name)));
  }
  if (amount == nullptr) return std::nullopt;
  return in_units(amount->is_string() ? amount->get<std::string>() : dump(*amount), divisor);
}

std::string in_units(std::string_view quantity, std::string_view divisor) {
  if (!checked_quantity(quantity)) return "0";
  const bool has_divisor = checked_quantity(divisor).has_value() && quantity_milli(divisor) > 0;
  const std::int64_t unit = has_divisor ? quantity_milli(divisor) : 1000;
  const std::int64_t value = quantity_milli(quantity);
  return cat(value / unit + (value % unit != 0 ? 1 : 0));
}

Result<std::vector<std::string>> env_file_variables(std::string_view text) {
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(k_byte_order_mark)) text.remove_prefix(k_byte_order_mark.size());
  std::vector<std::string> variables;
  int number = 0;
  for (std::string& line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.empty() || line.starts_with('#')) continue;
    const std::string name = split_once(line, '=').first;
    if (const auto fault = variable_name_fault(name); !fault.empty()) {
      Error error = bad_value(name, fault, "write NAME=VALUE, one per line, as in LR=0.1");
      error.message = cat("line ", number, ": ", error.message);
      return error;
    }
    variables.push_back(std::move(line));
  }
  return variables;
}

}  // namespace trainctl::job
