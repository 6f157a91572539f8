// The table of flags of sbatch, torchrun, docker and older versions, and their equivalents.
#include "options/table/flag_synonyms.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "base/text/time.h"
#include "options/table/rows.h"
#include "slurm/options.h"
#include "slurm/values.h"
#include "status/state.h"

namespace trainctl::options {
namespace {

// Converts a value; "" = it is not clear what was meant.
using Convert = std::string (*)(const std::string& value);

std::string unchanged(const std::string& value) {
  return value;
}

// The master runs on one of Slurm's nodes.
std::string workers_beside_master(const std::string& nodes) {
  const auto number = parse_number<int>(nodes);
  return number && *number >= 1 ? std::to_string(*number - 1) : "";
}

// Slurm's 0 is all memory of a node.
std::string some_memory(const std::string& value) {
  return slurm::mebibytes(value) == 0 ? "" : slurm::binary_size(value);
}

// A single variable has an equivalent, `ALL,LR=1` and `NONE` have none.
std::string one_variable(const std::string& value) {
  return value.find('=') != std::string::npos && value.find(',') == std::string::npos ? value : "";
}

std::string own_duration(const std::string& value) {
  return parse_duration(value) ? value : "";
}

struct FlagSynonym {
  std::string_view flag;
  std::string_view meant;    // the advice without a usable value; "" = the nearest flag is better
  std::string_view as = {};  // the flag that takes the converted value; "" = none
  Convert convert = unchanged;
  std::string_view note = {};  // follows the converted value
  bool beside_leader = false;  // only for kinds with one leader beside the workers
};

constexpr std::string_view k_nodes = "--workers=N: the master is one more node";
constexpr std::string_view k_beside = ": the master is one more node";
constexpr std::string_view k_gpus = "-g N, the number of GPUs of each replica";
constexpr std::string_view k_array =
    "--array lr=1e-3,1e-4: a job for each value, which {lr} stands for";
constexpr std::string_view k_after = "trainctl wait JOB && trainctl submit-KIND: docs/pipelines.md";

constexpr FlagSynonym k_submit_flags[] = {
    {"--nodes", k_nodes, "--workers", workers_beside_master, k_beside, true},
    {"-N", k_nodes, "--workers", workers_beside_master, k_beside, true},
    {"--nnodes", k_nodes, "--workers", workers_beside_master, k_beside, true},
    {"--nodes", "--workers=N", "--workers"},
    {"-N", "--workers=N", "--workers"},
    {"--nnodes", "--workers=N", "--workers"},
    {"--ntasks-per-node", "--nproc-per-node=N", "--nproc-per-node"},
    {"--ntasks-per-node", "--slots-per-worker=N", "--slots-per-worker"},
    {"--mem", "--memory=16Gi", "--memory", some_memory},
    {"--gres", k_gpus, "--gpu", slurm::gpu_count},
    {"--gpus", "", "--gpu", slurm::gpu_count},
    {"--gpus-per-node", k_gpus, "--gpu", slurm::gpu_count},
    {"--gpus-per-task", k_gpus, "--gpu", slurm::gpu_count},
    {"--cpus-per-task", "--cpu=N", "--cpu"},
    {"--cpus", "--cpu=N", "--cpu"},
    {"-c", "--cpu=N", "--cpu"},
    {"--time", "--active-deadline=12h", "--active-deadline", slurm::clock_time},
    {"--running-timeout", "--active-deadline=12h", "--active-deadline", own_duration},
    {"--partition", "--queue=NAME, a queue of Kueue", "--queue"},
    {"--account", "-n NAMESPACE, which has the quota", "--namespace"},
    {"--job-name", "--name=NAME", "--name"},
    {"-J", "--name=NAME", "--name"},
    {"--nodelist", "--node=NODE", "--node"},
    {"-x", "--exclude-node=NODE", "--exclude-node"},
    {"--constraint", "--gpu-product=PRODUCT, or --node-selector=KEY=VALUE"},
    {"--qos", "--priority-class=NAME", "--priority-class"},
    {"--export", "-e NAME=VALUE", "--env", one_variable},
    {"--mail-user", "--notify=CMD, or the URL of a web hook; it needs --follow or --wait"},
    {"--mail-type", "--notify=CMD, or the URL of a web hook; it needs --follow or --wait"},
    {"--output", "--save-logs=DIR with --follow; trainctl logs JOB prints them at any time"},
    {"--error", "--save-logs=DIR with --follow; trainctl logs JOB prints them at any time"},
    {"--mem-per-cpu", "--memory=SIZE, for all of a replica"},
    {"--mem-per-gpu", "--memory=SIZE, for all of a replica"},
    {"--chdir", "--working-dir=DIR", "--working-dir"},
    {"-D", "--working-dir=DIR", "--working-dir"},
    {"--requeue", "--retry=1: it needs --follow or --wait"},
    {"-w", "--workers=N, --working-dir=DIR or --node=NODE"},
    {"--share-memory", "--shm-size=2Gi", "--shm-size", slurm::binary_size},
    {"--sweep", k_array},
    {"--param", k_array},
    {"--grid", k_array},
    {"--gang", "--queue=NAME: Kueue starts all pods of a job together"},
    {"--shell", "-- sh -c 'LINE'"},
    {"--after", "trainctl wait JOB; trainctl submit-KIND: docs/pipelines.md"},
    {"--after-ok", k_after},
    {"--dependency", k_after},
    {"-d", k_after},
};

// Flags of kubectl, cp and earlier versions, which have no place on the named commands.
struct Habit {
  std::string_view commands;  // "" = any
  std::string_view flags, hint;
};

constexpr Habit k_habits[] = {
    {"", "--no-tree-config", "use --tree-config=off"},
    {"scale", "--replicas", "trainctl scale JOB --workers=4"},
    {"logs", "-w", "trainctl logs -f JOB"},
    {"plot", "-f --follow", "trainctl plot JOB -w"},
    {"check", "--name --workers --gpu -g --image -i",
     "put the whole line behind it: trainctl check submit-pytorch --workers=1 -- python3 train.py"},
    {"cp fetch", "-r -R -a --recursive",
     "leave it out: a directory is copied with all that it has"},
    {"report plot", "--open",
     "write a page and open it in a browser: trainctl report JOB -o run.html"},
    {"local", "--listen --write",
     "leave it out: only trainctl itself reaches that cluster, with --local"},
};

// True when a leader trains beside the workers.
bool has_one_leader(const job::Kind& kind) {
  return !kind.has_launcher() && std::ranges::any_of(kind.roles, [](const job::Role& role) {
    return role.leads() && role.single;
  });
}

// The job flag that takes the converted value; null when an option of another table takes it.
const job::Flag* taken_by(const FlagSynonym& synonym) {
  return synonym.as.empty() ? nullptr : job::find_flag(synonym.as.substr(2));
}

bool concerns(const FlagSynonym& synonym, const job::Kind& kind) {
  if (synonym.beside_leader && !has_one_leader(kind)) return false;
  const job::Flag* flag = taken_by(synonym);
  return flag == nullptr || job::applies_to(*flag, kind);
}

// `kind`: of the submit command; null when it is not known.
const FlagSynonym* find_synonym(const std::string& flag, const job::Kind* kind) {
  const auto found = std::ranges::find_if(k_submit_flags, [&](const FlagSynonym& each) {
    return each.flag == flag && (kind == nullptr || concerns(each, *kind));
  });
  return found == std::end(k_submit_flags) ? nullptr : found;
}

// "" when the flag would refuse the value.
std::string translated(const FlagSynonym& synonym, const std::string& value) {
  const std::string converted = synonym.as.empty() || value.empty() ? "" : synonym.convert(value);
  const job::Flag* flag = taken_by(synonym);
  const bool is_refused = flag != nullptr && flag->check != nullptr && !flag->check(converted);
  return converted.empty() || is_refused ? "" : cat(synonym.as, '=', shell_quoted(converted));
}

const job::Kind* kind_of(const std::string& command) {
  return command.starts_with(k_submit_prefix)
             ? job::find_kind(command.substr(k_submit_prefix.size()))
             : nullptr;
}

}  // namespace

ForeignFlag foreign_flag(const std::string& word) {
  Halves halves = split_once(word, '=');
  const bool has_number = word.size() > 2 && word[0] == '-' && word[2] >= '0' && word[2] <= '9';
  if (!halves.found && has_number) return {word.substr(0, 2), word.substr(2)};
  return {std::move(halves.first), std::move(halves.second)};
}

std::optional<std::string> translated_flag(const std::string& flag, const std::string& value) {
  const FlagSynonym* synonym = find_synonym(flag, nullptr);
  const std::string text = synonym == nullptr ? "" : translated(*synonym, value);
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> line_for_flag(const std::string& command, const std::string& flag,
                                         const std::string& value) {
  for (const Habit& habit : k_habits) {
    const bool is_command = habit.commands.empty() || lists(habit.commands, command);
    if (is_command && lists(habit.flags, flag)) return std::string(habit.hint);
  }
  const FlagSynonym* synonym =
      has_job_flags(command) && !command.empty() ? find_synonym(flag, kind_of(command)) : nullptr;
  if (synonym != nullptr) {
    const std::string text = translated(*synonym, value);
    if (!text.empty()) return cat("use ", text, synonym->note);
    if (!synonym->meant.empty()) return cat("use ", synonym->meant);
  }
  if (command != "get" || !flag.starts_with("--")) return std::nullopt;
  for (int at = 0; at <= static_cast<int>(job::Phase::failed); ++at) {
    const std::string phase(job::phase_name(static_cast<job::Phase>(at)));
    if (flag.substr(2) == lower(phase)) return "trainctl get --status " + phase;
  }
  return std::nullopt;
}

std::optional<std::string> line_of_script(const std::string& flag, const std::string& value) {
  const slurm::Option* option = slurm::find_option(flag);
  if (option == nullptr || option->use != slurm::Use::counted) return std::nullopt;
  if (lists("nodes mem gres gpus-per-node", option->name)) return std::nullopt;
  return cat("#SBATCH --", option->name, '=', value.empty() ? "N" : shell_quoted(value));
}

std::optional<std::string> line_beside_script(const std::string& flag, const std::string& value) {
  if (const auto line = line_of_script(flag, value)) return "write it into the script: " + *line;
  const slurm::Option* option = slurm::find_option(flag);
  if (option == nullptr || option->name != "nodes") return std::nullopt;
  const auto nodes = parse_number<int>(value);
  return cat("use --workers=", nodes && *nodes >= 1 ? value : "N",
             ": the number of the script's nodes");
}

}  // namespace trainctl::options
