// Counts what the directives ask for.
#include "slurm/node_share.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "slurm/values.h"

namespace trainctl::slurm {
namespace {

// The size of the job, as the directives give it; nullopt: they do not.
struct Sizes {
  std::optional<long> nodes, tasks, tasks_per_node, tasks_per_gpu, cpus_per_task, cpus_per_gpu;
  std::optional<long> gpus, gpus_per_node, gpus_per_task;
  std::optional<long> named_nodes;                             // of a --nodelist without --nodes
  std::optional<long> memory, memory_per_cpu, memory_per_gpu;  // in MiB
};

// The number of GPUs in "gpu:a100:4,nvme:1", also "0" in "none" and in a list without GPUs.
std::optional<long> gpus_in(const std::string& value, bool is_gres) {
  if (is_gres && value == "none") return 0;
  long sum = 0;
  for (const std::string& part : split(value, ',')) {
    std::string own(part.substr(0, part.find('(')));
    if (is_gres && own.starts_with("gres/")) own = own.substr(5);
    const std::vector<std::string> words = split(own, ':');
    if (is_gres && words.front() != "gpu") continue;
    const bool has_count = parse_number<long>(words.back()).has_value();
    // "gpu:a100" is one of this type.
    const std::string count = has_count ? gpu_count(own) : is_gres ? "1" : "";
    const auto number = parse_number<long>(count);
    if (!number) return std::nullopt;
    sum += *number;
  }
  return sum;
}

bool is_positive(const std::optional<long>& number) {
  return number && *number >= 1;
}

Result<Sizes> read_sizes(const Script& script) {
  Sizes sizes;
  const std::pair<std::string_view, std::optional<long>*> counts[] = {
      {"nodes", &sizes.nodes},
      {"ntasks", &sizes.tasks},
      {"ntasks-per-node", &sizes.tasks_per_node},
      {"ntasks-per-gpu", &sizes.tasks_per_gpu},
      {"cpus-per-task", &sizes.cpus_per_task},
      {"cpus-per-gpu", &sizes.cpus_per_gpu}};
  for (const auto& [name, place] : counts) {
    const Directive* directive = script.find(name);
    if (directive == nullptr) continue;
    // "2-4" nodes are at least two.
    *place = parse_number<long>(split_once(directive->value, '-').first);
    if (!is_positive(*place)) return script.bad(*directive, "no number", "write a number");
  }
  const std::pair<std::string_view, std::optional<long>*> gpus[] = {
      {"gpus", &sizes.gpus},
      {"gpus-per-node", &sizes.gpus_per_node},
      {"gpus-per-task", &sizes.gpus_per_task},
      {"gres", &sizes.gpus_per_node}};
  for (const auto& [name, place] : gpus) {
    const Directive* directive = script.find(name);
    if (directive == nullptr) continue;
    const auto count = gpus_in(directive->value, name == "gres");
    if (!count) return script.bad(*directive, "no number of GPUs", "write a number: 4, or gpu:4");
    if (!*place) *place = count;
  }
  const std::pair<std::string_view, std::optional<long>*> amounts[] = {
      {"mem", &sizes.memory},
      {"mem-per-cpu", &sizes.memory_per_cpu},
      {"mem-per-gpu", &sizes.memory_per_gpu}};
  for (const auto& [name, place] : amounts) {
    const Directive* directive = script.find(name);
    if (directive == nullptr) continue;
    *place = mebibytes(directive->value);
    if (!*place) return script.bad(*directive, "no size", "write a whole number and a unit: 16G");
    if (**place == 0) place->reset();  // all of a node
  }
  return sizes;
}

// Slurm gives a job all nodes that are named, and no more nodes than it has tasks.
void settle_nodes(const Script& script, Sizes& sizes, std::vector<std::string>& warnings) {
  if (const Directive* list = script.find("nodelist"); list != nullptr && !sizes.nodes) {
    std::vector<std::string> hosts = host_names(list->value);
    std::ranges::sort(hosts);
    const auto repeated = std::ranges::unique(hosts);
    hosts.erase(repeated.begin(), repeated.end());
    sizes.named_nodes = static_cast<long>(hosts.size());
  }
  if (!sizes.nodes || !sizes.tasks || *sizes.tasks >= *sizes.nodes) return;
  warnings.push_back(cat(script.place(script.find("nodes")->line), ": the job gets ",
                         plural(*sizes.tasks, "node"), ", not ", *sizes.nodes,
                         ", as with Slurm: it has ", plural(*sizes.tasks, "task")));
  sizes.nodes = sizes.tasks;
}

long shared(long number, long parts) {
  return (number + parts - 1) / parts;
}

Node share_of(const Sizes& sizes) {
  Node node;
  const bool fills_nodes = sizes.tasks && sizes.tasks_per_node;
  const long filled = fills_nodes ? shared(*sizes.tasks, *sizes.tasks_per_node) : 1;
  node.nodes = sizes.nodes.value_or(std::max(filled, sizes.named_nodes.value_or(1)));
  node.gpus = sizes.gpus_per_node.value_or(sizes.gpus ? shared(*sizes.gpus, node.nodes) : 0);
  node.tasks = sizes.tasks_per_node.value_or(sizes.tasks ? shared(*sizes.tasks, node.nodes) : 1);
  if (sizes.tasks_per_gpu && node.gpus > 0) node.tasks = *sizes.tasks_per_gpu * node.gpus;
  const bool is_counted = sizes.tasks && !sizes.tasks_per_node && !sizes.tasks_per_gpu;
  node.all_tasks = is_counted ? *sizes.tasks : node.tasks * node.nodes;
  if (node.gpus == 0) node.gpus = sizes.gpus_per_task.value_or(0) * node.tasks;
  if (sizes.cpus_per_task || node.tasks > 1) {
    node.cpus = sizes.cpus_per_task.value_or(1) * node.tasks;
  } else if (sizes.cpus_per_gpu) {
    node.cpus = *sizes.cpus_per_gpu * node.gpus;
  }
  node.memory = sizes.memory.value_or(sizes.memory_per_cpu.value_or(0) * std::max(node.cpus, 1L));
  if (node.memory == 0) node.memory = sizes.memory_per_gpu.value_or(0) * node.gpus;
  return node;
}

}  // namespace

Result<Node> node_of(const Script& script, std::optional<long> typed_nodes,
                     std::vector<std::string>& warnings) {
  TRY_ASSIGN(Sizes sizes, read_sizes(script));
  if (typed_nodes) {
    sizes.nodes = std::max(1L, *typed_nodes);
  } else {
    settle_nodes(script, sizes, warnings);
  }
  const Node node = share_of(sizes);
  if (sizes.gpus && !sizes.gpus_per_node && *sizes.gpus % node.nodes != 0) {
    return script.bad(*script.find("gpus"),
                      cat(node.nodes, " nodes, which are alike here, cannot share them"),
                      "write --gpus-per-node, or another number of nodes");
  }
  return node;
}

}  // namespace trainctl::slurm
