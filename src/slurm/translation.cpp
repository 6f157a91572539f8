// Puts functions and variables of Slurm before the script.
#include "slurm/translation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/embedded.h"
#include "base/text/text.h"
#include "slurm/node_share.h"
#include "slurm/values.h"

namespace trainctl::slurm {
namespace {

std::string no_effect(const Script& script, const Directive& directive) {
  return cat(script.place(directive.line), ": --", directive.option->name,
             " has no effect; instead: ", directive.option->as);
}

int line_of(const Script& script, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Directive* directive = script.find(name)) return directive->line;
  }
  return 0;
}

// A job of workers alone has succeeded when the script of every node has, while one with a master
// ends with the master's, and its other pods with it.
void add_nodes(const Script& script, const Node& node, bool are_typed, Translation& made) {
  const int line = line_of(script, {"nodes", "nodelist", "ntasks", "ntasks-per-node"});
  const bool has_master = node.nodes == 1 && !are_typed;
  made.flags.push_back({"workers", {std::to_string(has_master ? 0 : node.nodes)}, line});
  if (!has_master) made.flags.push_back({"no-master", {"true"}, line});
}

void add_share(const Script& script, const Node& node, Translation& made) {
  if (node.gpus > 0) {
    made.flags.push_back({"gpu",
                          {std::to_string(node.gpus)},
                          line_of(script, {"gpus-per-node", "gres", "gpus", "gpus-per-task"})});
  }
  if (node.cpus > 0) {
    made.flags.push_back({"cpu",
                          {std::to_string(node.cpus)},
                          line_of(script, {"cpus-per-task", "cpus-per-gpu", "ntasks"})});
  }
  if (node.memory > 0) {
    const bool is_whole = node.memory % 1024 == 0;
    made.flags.push_back({"memory",
                          {is_whole ? cat(node.memory / 1024, "Gi") : cat(node.memory, "Mi")},
                          line_of(script, {"mem", "mem-per-cpu", "mem-per-gpu"})});
  }
}

// The name of the job, or of the file, as Kubernetes allows it.
std::string job_name(const Script& script) {
  const Directive* directive = script.find("job-name");
  std::string text = directive != nullptr ? directive->value : script.path;
  if (directive == nullptr) {
    text = text.substr(text.rfind('/') + 1);
    text = text.substr(0, text.rfind('.'));
  }
  std::string name;
  constexpr std::size_t k_longest = 40;  // so that the names of pods fit
  for (const char c : lower(text).substr(0, k_longest)) {
    if (is_letter_or_digit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() || is_digit(name[0]) ? cat("job", name.empty() ? "" : "-", name) : name;
}

struct Array {
  std::string axis;
  std::vector<std::string> tasks;
};

// The tasks of "0-15:4" and "1,3,5-7".
std::optional<std::vector<std::string>> tasks_in(const std::string& list) {
  constexpr long k_most = 100'000;
  std::vector<std::string> tasks;
  for (const std::string& part : split(list, ',')) {
    const Halves step = split_once(part, ':');
    const Halves ends = split_once(step.first, '-');
    const auto first = parse_number<long>(ends.first);
    const auto last = ends.found ? parse_number<long>(ends.second) : first;
    const auto by = step.found ? parse_number<long>(step.second) : 1L;
    const bool is_range = first && last && is_positive(by) && *first >= 0 && *last >= *first;
    if (!is_range || (*last - *first) / *by > k_most) return std::nullopt;
    for (long task = *first; task <= *last; task += *by) tasks.push_back(std::to_string(task));
  }
  return tasks;
}

// "1-8,11" of 1 to 8 and 11: the line that shows a long list stays short.
std::string ranges_of(const std::vector<std::string>& tasks) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0, next = 0; first < tasks.size(); first = next) {
    const auto number_at = [&tasks](std::size_t at) { return parse_number<long>(tasks[at]); };
    for (next = first + 1; next < tasks.size(); ++next) {
      if (*number_at(next) != *number_at(next - 1) + 1) break;
    }
    const bool is_range = next - first > 1;
    if (!is_range) next = first + 1;
    ranges.push_back(is_range ? cat(tasks[first], '-', tasks[next - 1]) : tasks[first]);
  }
  return join(ranges, ",");
}

Result<std::optional<Array>> add_array(const Script& script, bool waits, Translation& made) {
  const Directive* directive = script.find("array");
  if (directive == nullptr) return std::optional<Array>();
  const Halves limit = split_once(directive->value, '%');
  const auto tasks = tasks_in(limit.first);
  if (!tasks || (limit.found && !is_positive(parse_number<long>(limit.second)))) {
    return script.bad(*directive, "no list of tasks",
                      "write a list such as 0-7, 1,3,5 or 0-15:4%2");
  }
  // The placeholder of a task must not stand in the script for anything else.
  Array array{"task", *tasks};
  while (script.text.find(cat('{', array.axis, '}')) != std::string::npos) array.axis += '_';
  if (script.text.find("{index}") != std::string::npos) {
    return script.bad(*directive, "{index} in the script would become the number of the job",
                      "choose another name than index in the script");
  }
  made.flags.push_back({"array", {cat(array.axis, '=', ranges_of(*tasks))}, directive->line});
  if (limit.found) made.flags.push_back({"max-parallel", {limit.second}, directive->line});
  if (limit.found && !waits) {
    made.warnings.push_back(cat(script.prefix(*directive), '%', limit.second,
                                " holds with --follow or --wait; without, all jobs start at once"));
  }
  return std::optional(std::move(array));
}

// Takes the variables of ALL,NAME=VALUE, and not ALL: the environment of a pod is the image's.
void add_export(const Script& script, const Directive& directive, Translation& made) {
  Flag env{"env", {}, directive.line};
  for (const std::string& part : split(directive.value, ',')) {
    if (part == "ALL") {
      made.warnings.push_back(cat(script.place(directive.line),
                                  ": ALL passes nothing on from this shell; -e NAME does so"));
    } else if (!part.empty() && part != "NONE" && part != "NIL") {
      env.values.push_back(part);
    }
  }
  if (!env.values.empty()) made.flags.push_back(std::move(env));
}

Status add_time(const Script& script, const Directive& directive, Translation& made) {
  const std::string text = lower(directive.value);
  if (text == "unlimited" || text == "infinite" || text == "0") return {};
  const std::string duration = clock_time(directive.value);
  if (duration.empty()) {
    return script.bad(directive, "no duration", "write minutes, 2:00:00 or 1-12:00:00");
  }
  made.flags.push_back({"active-deadline", {duration}, directive.line});
  return {};
}

Status add_partition(const Script& script, const Directive& directive, const Surroundings& line,
                     Translation& made) {
  if (line.place == Place::this_machine) {
    made.warnings.push_back(
        cat(script.place(directive.line), ": the partition has no effect with --local"));
  }
  if (line.place != Place::partition) return {};
  for (const std::string& name : split(directive.value, ',')) {
    if (std::ranges::find(line.presets, name) == line.presets.end()) continue;
    made.flags.push_back({"preset", {name}, directive.line});
    return {};
  }
  const std::string name = split(directive.value, ',').front();
  return script.bad(
      directive, "no preset says what this partition is here",
      cat("write --queue=QUEUE or --preset=none behind the FILE, or add to the configuration: "
          "presets: {",
          printable_line(name), ": {queue: QUEUE}}"));
}

// "nvcr.io#nvidia/pytorch:24.01-py3", as enroot writes a registry. A file, and what only the script
// knows, is no image.
void add_image(const Script& script, const Directive& directive, Translation& made) {
  std::string image = directive.value;
  if (image.starts_with("docker://")) image = image.substr(9);
  const bool is_file = image.starts_with('/') || image.starts_with('.') || image.ends_with(".sqsh");
  if (is_file || image.find('$') != std::string::npos) {
    made.warnings.push_back(cat(script.place(directive.line), ": the image ", printable_line(image),
                                " has no effect; instead: --image=IMAGE"));
    return;
  }
  std::ranges::replace(image, '#', '/');
  made.flags.push_back({"image", {image}, directive.line});
}

// "B:USR1@90": Slurm sends the signal 90 seconds before the end, a kubelet SIGTERM.
Status add_signal(const Script& script, const Directive& directive, Translation& made) {
  const Halves halves = split_once(directive.value, '@');
  const std::string signal = halves.first.substr(halves.first.find(':') + 1);
  constexpr long k_default = 60;
  const auto seconds = halves.found ? parse_number<long>(halves.second) : k_default;
  if (!is_positive(seconds)) {
    return script.bad(directive, "no seconds", "write them behind @: --signal=TERM@120");
  }
  made.flags.push_back({"termination-grace-period", {cat(*seconds, 's')}, directive.line});
  if (signal != "TERM" && signal != "SIGTERM" && signal != "15") {
    made.warnings.push_back(cat(script.place(directive.line), ": pods get SIGTERM, not ",
                                printable_line(signal), ": the program must handle that"));
  }
  return {};
}

// All of a pod runs in one image. A step that redirects its output, or runs elsewhere, does so only
// where the script says it in words of the shell.
Status add_steps(const Script& script, Translation& made) {
  constexpr std::string_view k_without_effect[] = {"export", "chdir", "output", "error", "input"};
  std::optional<Directive> image;
  for (const Directive& option : step_options(script)) {
    const std::string_view name = option.option->name;
    if (name == "container-image") {
      if (image && image->value != option.value) {
        return script.bad(option, "an earlier step has another image",
                          "submit a script for each image");
      }
      image = option;
    } else if (std::ranges::find(k_without_effect, name) != std::end(k_without_effect) &&
               option.value != "ALL") {
      made.warnings.push_back(cat(script.place(option.line), ": --", name,
                                  " of srun has no effect; instead, in the script: ",
                                  name == "export"  ? "export NAME=VALUE"
                                  : name == "chdir" ? "cd DIR"
                                                    : "a redirection such as > FILE"));
    }
  }
  if (image && script.find("container-image") == nullptr) add_image(script, *image, made);
  return {};
}

// Nobody gets mail of type NONE.
void add_mail(const Script& script, const Directive& directive, Translation& made) {
  const Directive* type = script.find("mail-type");
  if (type != nullptr && lower(type->value) == "none") return;
  made.warnings.push_back(no_effect(script, directive));
}

Status add_own(const Script& script, const Directive& directive, const Surroundings& line,
               Translation& made) {
  const std::string_view name = directive.option->name;
  if (name == "time") return add_time(script, directive, made);
  if (name == "signal") return add_signal(script, directive, made);
  if (name == "partition") return add_partition(script, directive, line, made);
  if (name == "container-image") add_image(script, directive, made);
  if (name == "export") add_export(script, directive, made);
  if (name.starts_with("mail")) add_mail(script, directive, made);
  if (name == "wait" && !line.waits) {
    made.warnings.push_back(
        cat(script.place(directive.line), ": only the line waits: write --wait behind the FILE"));
  }
  return {};
}

// "gpu:a100:4" and "nvme:1".
bool names_other_devices(const Directive& directive) {
  const std::string_view name = directive.option->name;
  if (!name.starts_with("gpus") && name != "gres") return false;
  for (const std::string& word : split(directive.value, ':')) {
    if (word != "gpu" && word != "none" && !parse_number<long>(word)) return true;
  }
  return false;
}

Status add_directives(const Script& script, const Surroundings& line, Translation& made) {
  for (const Directive& directive : script.directives) {
    const Option& option = *directive.option;
    if (script.find(option.name) != &directive) continue;  // a later one counts
    if (option.use == Use::refused) {
      return script.bad(directive, "it has no counterpart here", std::string(option.as));
    }
    if (names_other_devices(directive)) {
      made.warnings.push_back(cat(script.place(directive.line), ": of --", option.name, ' ',
                                  printable_line(directive.value),
                                  " only the number of GPUs counts; a model is chosen by ",
                                  find_option("-C")->as));
    }
    if (option.use == Use::own) TRY(add_own(script, directive, line, made));
    if (option.use == Use::flag) {
      auto names =
          option.name == "chdir" ? std::vector{directive.value} : host_names(directive.value);
      made.flags.push_back({std::string(option.as), std::move(names), directive.line});
    }
    if (option.use == Use::warned) {
      made.warnings.push_back(no_effect(script, directive));
    }
  }
  return {};
}

void warn_of_modules(const Script& script, Translation& made) {
  std::vector<std::string> lines;
  for (const int line : module_lines(script)) lines.push_back(std::to_string(line));
  if (lines.empty()) return;
  made.warnings.push_back(cat(script.place(std::stoi(lines.front())),
                              ": modules are not loaded: what they give must be there already",
                              lines.size() == 1 ? "" : cat(" (lines ", join(lines, ", "), ")")));
}

// The options of srun that have no value, as a pattern of the shell: those that the script names.
std::string bare_options(const Script& script) {
  std::string pattern;
  const auto add = [&](const std::string& word) {
    if (script.text.find(' ' + word) != std::string::npos) pattern += " | " + word;
  };
  for (const Option& option : options()) {
    if (takes_word(option, Program::srun)) continue;
    add(cat("--", option.name));
    if (option.letter != 0) add(cat('-', option.letter));
  }
  return pattern;
}

// The parts of the prologue that the script needs. A part that begins with "# srun" defines that
// function.
std::string needed_parts(const Script& script) {
  const std::string_view all = slurm_prologue::embedded_files().front().content;
  std::string needed;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find("\n\n", at), all.size() - 1);
    const std::string_view part = all.substr(at, end - at + 1);
    const std::string_view first = part.substr(2, part.find_first_of(": \n", 2) - 2);
    const bool defines = part.find(cat('\n', first, "() ")) != std::string_view::npos;
    if (!defines || script.text.find(first) != std::string::npos) needed += part;
    at = end + 2;
  }
  return needed;
}

// The operator's variables count pods, those of srun's tasks count tasks.
std::string words_about_tasks(const Script& script, const Node& node) {
  if (node.all_tasks <= node.nodes || script.text.find("srun") == std::string::npos) return "";
  return cat("each srun of ", printable_line(script.path), " starts ", node.all_tasks, " tasks in ",
             plural(node.nodes, "pod"), "; RANK and WORLD_SIZE of a task count tasks, not pods");
}

std::string prologue(const Script& script, const Node& node, const std::optional<Array>& array) {
  std::string text = cat("SLURM_JOB_NAME=", job_name(script), " SLURM_NTASKS_PER_NODE=", node.tasks,
                         " SLURM_NTASKS=", node.all_tasks, '\n');
  if (node.cpus > 0) {
    text += cat("SLURM_CPUS_ON_NODE=", node.cpus,
                " SLURM_CPUS_PER_TASK=", std::max(1L, node.cpus / node.tasks), '\n');
  }
  if (node.gpus > 0) {
    text += cat("SLURM_GPUS_ON_NODE=", node.gpus, " SLURM_GPUS_PER_NODE=", node.gpus, '\n');
  }
  if (array) {
    text +=
        cat("SLURM_ARRAY_TASK_ID={", array->axis, "} SLURM_ARRAY_TASK_COUNT=", array->tasks.size(),
            '\n', "SLURM_ARRAY_TASK_MIN=", array->tasks.front(),
            " SLURM_ARRAY_TASK_MAX=", array->tasks.back(), '\n');
  }
  std::string fixed = needed_parts(script);
  constexpr std::string_view k_bare = " | @BARE@";
  if (const auto at = fixed.find(k_bare); at != std::string::npos) {
    fixed.replace(at, k_bare.size(), bare_options(script));
  }
  return text + fixed;
}

// Starts the script on the first line of what the shell reads, so that the shell counts the
// script's lines as its author does. A script gets the SIGTERM that ends the pod.
std::string start_line(const Script& script) {
  const std::string options =
      script.shell_options.empty() ? "" : cat("set ", script.shell_options, "; ");
  return cat(R"(eval "$1"; slurm_script=$2; shift 2; ( trap : TERM; )", options,
             R"(eval "$slurm_script" ) & slurm_finish)");
}

}  // namespace

Result<Translation> translate(const Script& script, const Surroundings& line) {
  Translation made;
  TRY_ASSIGN(const Node node, node_of(script, line.workers, made.warnings));
  TRY(check_commands(script, node.nodes > 1));
  TRY_ASSIGN(const std::optional<Array> array, add_array(script, line.waits, made));
  const std::string name = job_name(script);
  made.flags.insert(
      made.flags.begin(),
      {"name", {array ? cat(name, "-{", array->axis, '}') : name}, line_of(script, {"job-name"})});
  add_nodes(script, node, line.workers.value_or(0) > 0, made);
  add_share(script, node, made);
  TRY(add_directives(script, line, made));
  TRY(add_steps(script, made));
  made.tasks = words_about_tasks(script, node);
  // sbatch starts a script once, unless it may be requeued: for a lost node, not for a failure.
  const bool may_run_again = script.find("requeue") != nullptr;
  made.flags.push_back({"restart-policy", {may_run_again ? "ExitCode" : "Never"}});
  warn_of_modules(script, made);
  if (script.shell == "ksh") {
    made.warnings.push_back(cat(script.place(1), ": the script runs in bash, not in ksh"));
  }
  // Only bash sees that one of several tasks has ended.
  const bool is_plain = (script.shell == "sh" || script.shell == "dash") && node.tasks == 1;
  made.words = {is_plain ? "sh" : "bash",
                "-c",
                start_line(script),
                script.path.substr(script.path.rfind('/') + 1),
                prologue(script, node, array),
                script.text};
  made.words.insert(made.words.end(), line.arguments.begin(), line.arguments.end());
  return made;
}

}  // namespace trainctl::slurm
