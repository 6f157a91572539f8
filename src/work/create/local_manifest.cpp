// Adds working directory and variables to the training containers of a manifest.
#include "work/create/local_manifest.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "manifest/companions.h"
#include "manifest/environment.h"
#include "manifest/manifest.h"
#include "manifest/program.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_threads = "OMP_NUM_THREADS";
constexpr std::string_view k_variables[] = {"PATH",       "VIRTUAL_ENV",     "CONDA_PREFIX",
                                            "PYTHONPATH", "LD_LIBRARY_PATH", k_threads};

bool sets(const Json& container, std::string_view variable) {
  return job::has_named(array_at(container, "/env"), variable);
}

void add_variable(Json& container, std::string_view name, const std::string& value) {
  if (value.empty() || sets(container, name)) return;
  Json& env = container["env"];
  if (!env.is_array()) env = Json::array();
  env.push_back({{"name", std::string(name)}, {"value", job::unexpanded(value)}});
}

// The share of one process in the machine's cores; "" for a job of one process. Without it, each
// would start as many threads as there are cores.
std::string thread_share(const job::Kind& kind, const Json& manifest, const Machine& machine) {
  std::int64_t processes = 0;
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    const bool only_launches =
        kind.has_launcher() && replica.role != nullptr && replica.role->leads();
    if (!only_launches) processes += int_at(*replica.spec, "/replicas").value_or(1);
  }
  processes *= int_at(manifest, "/spec/slotsPerWorker").value_or(1);
  if (processes <= 1) return "";
  return cat(std::max<std::int64_t>(1, machine.processors / processes));
}

// torchrun divides the cores itself, among more processes than there are replicas; what an envFrom
// holds is unknown.
bool may_set_threads(const Json& container) {
  if (!array_at(container, "/envFrom").empty()) return true;
  for (const char* list : {"/command", "/args"}) {
    for (const Json& word : array_at(container, list)) {
      const std::string text = word.is_string() ? word.get<std::string>() : "";
      for (const std::string_view program : {"torchrun", "torch.distributed."}) {
        if (text.find(program) != std::string::npos) return true;
      }
    }
  }
  return false;
}

void localize_container(const Environment& environment, const std::string& directory,
                        const std::string& threads, Json& container) {
  if (find(container, "/workingDir") == nullptr && !directory.empty()) {
    container["workingDir"] = directory;
  }
  for (const std::string_view variable : k_variables) {
    add_variable(container, variable, environment.get(variable).value_or(""));
  }
  if (!may_set_threads(container)) add_variable(container, k_threads, threads);
}

bool has_limit(const job::Kind& kind, const Json& manifest, std::string_view resource) {
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    const std::string containers = cat(replica.pointer, job::k_pod_spec, "/containers");
    for (const Json& container : array_at(manifest, containers)) {
      if (find(container, cat("/resources/limits/", resource)) != nullptr) return true;
    }
  }
  return false;
}

// Sums what all pods of the job request, in thousandths.
std::int64_t requested_milli(const job::Kind& kind, const Json& manifest,
                             std::string_view resource) {
  std::int64_t sum = 0;
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    const std::int64_t pods = int_at(*replica.spec, "/replicas").value_or(1);
    for (const Json& container : array_at(*replica.spec, cat(job::k_pod_spec, "/containers"))) {
      std::string quantity = text_at(container, cat("/resources/requests/", resource));
      // As the API server fills it in.
      if (quantity.empty()) quantity = text_at(container, cat("/resources/limits/", resource));
      std::int64_t request = 0;
      std::int64_t total = 0;
      if (checked_quantity(quantity)) request = quantity_milli(quantity);
      const bool is_sane = !__builtin_mul_overflow(request, pods, &total) &&
                           !__builtin_add_overflow(sum, total, &sum);
      if (!is_sane) return std::numeric_limits<std::int64_t>::max();
    }
  }
  return sum;
}

constexpr std::int64_t k_milli = 1000;
constexpr std::int64_t k_gib = std::int64_t{1} << 30;

std::int64_t divided_up(std::int64_t value, std::int64_t by) {
  return value / by + (value % by == 0 ? 0 : 1);
}

void tell_of_threads(const job::Kind& kind, const Json& manifest, const Machine& machine,
                     std::vector<std::string>& sentences) {
  const Json wanted = {{"name", std::string(k_threads)},
                       {"value", thread_share(kind, manifest, machine)}};
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    for (const Json& container : array_at(*replica.spec, cat(job::k_pod_spec, "/containers"))) {
      const Json& env = array_at(container, "/env");
      if (std::ranges::find(env, wanted) == env.end()) continue;
      sentences.push_back(cat("the replicas share ", plural(machine.processors, "core"),
                              ": each gets ", k_threads, "=", text_at(wanted, "/value"), "; -e ",
                              k_threads, "=N sets another number"));
      return;
    }
  }
}

void tell_of_the_machine(const job::Kind& kind, const Json& manifest, const Machine& machine,
                         std::vector<std::string>& sentences) {
  const std::int64_t cpus = divided_up(requested_milli(kind, manifest, "cpu"), k_milli);
  if (cpus > machine.processors) {
    sentences.push_back(cat("the job requests ", cpus, " CPUs and this machine has ",
                            machine.processors, ": its replicas share them"));
  }
  const std::int64_t bytes = divided_up(requested_milli(kind, manifest, "memory"), k_milli);
  if (bytes > machine.memory) {
    sentences.push_back(cat("the job requests ", divided_up(bytes, k_gib),
                            " GiB of memory and this machine has ", machine.memory / k_gib,
                            ": the kernel may kill it"));
  }
}

// A claim of somebody else: one that comes with the job is created on a real cluster, too.
bool needs_claim(const job::Kind& kind, const Json& manifest,
                 const std::vector<job::DependentObject>& companions) {
  const auto is_new = [&companions](const std::string& name) {
    return std::ranges::any_of(companions, [&name](const job::DependentObject& companion) {
      return companion.resource.kind == job::k_claims.kind && companion.name() == name;
    });
  };
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    for (const Json& volume : array_at(*replica.spec, cat(job::k_pod_spec, "/volumes"))) {
      const bool is_claim = find(volume, "/persistentVolumeClaim") != nullptr;
      if (is_claim && !is_new(text_at(volume, "/persistentVolumeClaim/claimName"))) return true;
    }
  }
  return false;
}

std::vector<std::string> line_of(const Json& container) {
  std::vector<std::string> words;
  for (const char* list : {"/command", "/args"}) {
    for (const Json& word : array_at(container, list)) words.push_back(word.get<std::string>());
  }
  return words;
}

// The Python file that the container starts; "" when another program may have to find it.
std::string script_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return "";
  const std::string program = words[0].substr(words[0].rfind('/') + 1);
  const bool is_python = program.starts_with("python") && words[1].ends_with(".py");
  return is_python && words[1].find('$') == std::string::npos ? words[1] : "";
}

bool is_on_path(const std::string& program, const std::string& directory, const Json& container,
                Files& files) {
  const Json& variables = array_at(container, "/env");
  const auto path = std::ranges::find_if(
      variables, [](const Json& variable) { return view_at(variable, "/name") == "PATH"; });
  if (path == variables.end()) return true;  // it is the server's
  const std::string places = text_at(*path, "/value");
  if (places.find('$') != std::string::npos) return true;
  return std::ranges::any_of(split(places, ':'), [&](const std::string& place) {
    return files.exists(resolve_path(directory, cat(place.empty() ? "." : place, '/', program)));
  });
}

// Otherwise every replica fails, and is started again. A volume may hold the files.
Status check_files(const Json& container, Files& files) {
  const std::vector<std::string> words = line_of(container);
  const std::string directory = text_at(container, "/workingDir");
  if (directory.empty() || !array_at(container, "/volumeMounts").empty()) return {};
  const std::string& program = words.front();
  const bool is_plain = program.find_first_of("/$") == std::string::npos;
  if (is_plain && !is_on_path(program, directory, container, files)) {
    const bool is_file = files.exists(resolve_path(directory, program));
    return Error{Code::usage,
                 cat("there is no program ", printable_line(program),
                     " in PATH, where --local looks for it"),
                 is_file ? cat("a file in ", printable_line(directory),
                               " is written with its folder: -- ./", shell_quoted(program))
                         : "check its spelling, or activate the environment that has it"};
  }
  const std::string script = script_of(words);
  if (script.empty()) return {};
  const std::string path = script.front() == '/' ? script : cat(directory, '/', script);
  if (files.exists(path)) return {};
  return Error{Code::usage,
               cat("there is no ", printable_line(script), " in ", printable_line(directory),
                   ", where --local starts the program"),
               "name the file as it is seen there, or name another folder: --working-dir DIR"};
}

}  // namespace

std::vector<std::string> not_kept_locally(const job::Kind& kind, const Json& manifest,
                                          const std::vector<job::DependentObject>& companions,
                                          const Environment& environment, const Machine& machine) {
  std::vector<std::string> sentences;
  tell_of_the_machine(kind, manifest, machine, sentences);
  if (environment.text(k_threads).empty()) tell_of_threads(kind, manifest, machine, sentences);
  if (has_limit(kind, manifest, "memory")) {
    sentences.push_back(
        "the embedded cluster checks the memory limit once a second: a real one always enforces "
        "it");
  }
  if (has_limit(kind, manifest, "cpu")) {
    sentences.push_back("the embedded cluster does not enforce the CPU limit: a real one does");
  }
  if (needs_claim(kind, manifest, companions)) {
    sentences.push_back(
        "the embedded cluster creates claims at first use: on a real one they must exist");
  }
  return sentences;
}

void localize(const job::Kind& kind, const Environment& environment, const std::string& directory,
              const Machine& machine, Json& manifest) {
  const std::string threads = thread_share(kind, manifest, machine);
  job::for_each_training_container(kind, manifest, [&](const job::Replica&, Json& container) {
    localize_container(environment, directory, threads, container);
  });
}

void unlocalize(const job::Kind& kind, const Environment& environment, Json& manifest) {
  const auto is_derived = [&environment](const Json& variable) {
    const std::string_view name = view_at(variable, "/name");
    const bool may_be = std::ranges::find(k_variables, name) != std::ranges::end(k_variables);
    return may_be && text_at(variable, "/value") == job::unexpanded(environment.text(name));
  };
  job::for_each_training_container(kind, manifest, [&](const job::Replica&, Json& container) {
    Json* variables = job::find_in(container, "/env");
    if (variables == nullptr || !variables->is_array()) return;
    const auto derived = std::ranges::remove_if(*variables, is_derived);
    variables->erase(derived.begin(), derived.end());
    if (variables->empty()) container.erase("env");
  });
}

Status check_runs_here(const job::Kind& kind, const Json& manifest, Files& files) {
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    const bool waits = kind.has_launcher() && replica.role != nullptr && !replica.role->leads();
    if (waits) continue;
    for (const Json& container : array_at(*replica.spec, cat(job::k_pod_spec, "/containers"))) {
      const std::string program = text_at(container, "/command/0", text_at(container, "/args/0"));
      if (!array_at(container, "/command").empty() || !array_at(container, "/args").empty()) {
        if (auto fault = job::program_word_fault(program)) return *std::move(fault);
        TRY(check_files(container, files));
        continue;
      }
      return Error{Code::usage,
                   cat("nothing to run: container ", printable_line(text_at(container, "/name")),
                       " of ", replica.key, " names no program, and --local ignores its image"),
                   "end with -- PROGRAM ARG, as in -- python3 train.py"};
    }
  }
  return {};
}

}  // namespace trainctl::work
