// The table of commands that users know from kubectl, docker, slurm and git, with trainctl's own.
#include "options/table/synonyms.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/text/text.h"
#include "manifest/kind/kind.h"
#include "manifest/render.h"
#include "manifest/secrets.h"
#include "options/table/flag_synonyms.h"
#include "options/table/rows.h"
#include "options/table/slurm_questions.h"
#include "slurm/options.h"
#include "slurm/values.h"

namespace trainctl::options {
namespace {

struct Synonym {
  std::string_view word;
  std::string_view line;               // what to type; the typed names are appended
  std::string_view named = {};         // what to type instead when a job was named
  std::string_view without_name = {};  // placeholder for the name when none was typed
  std::string_view behind_name = {};   // follows one name; other names have no place here
  bool takes_names = true;
  bool has_same_flags = false;  // as the command that it stands for
};

constexpr Synonym k_synonyms[] = {
    {"ls", "get"},
    {"ps", "get"},
    {"jobs", "get"},
    {"pods", "get", "describe"},
    {"queue", "get"},
    {"status", "get", "describe"},
    {"show", "get", "describe"},
    {"inspect", "get", "describe"},
    {"info", "get", "describe"},
    {.word = "nodes", .line = "top --nodes", .takes_names = false},
    {.word = "gpus", .line = "top --nodes", .takes_names = false},
    {.word = "node", .line = "top --nodes", .takes_names = false},
    {.word = "partition", .line = "top --nodes", .takes_names = false},
    {.word = "sinfo", .line = "top --nodes", .takes_names = false},
    {"nvidia-smi", "top --nodes", "exec", "", " -- nvidia-smi"},
    {"htop", "top"},
    {.word = "sreport", .line = "history --gpu-hours --by user", .takes_names = false},
    {"seff", "top", "", " JOB", " while it runs; trainctl history lists ended runs"},
    {"sattach", "logs -f"},
    {"metrics", "plot", "", " JOB"},
    {"diff", "compare", "", " RUN RUN"},
    {"cat", "logs"},
    {"usage", "top"},
    {"watch", "get -w", "logs -f"},
    {.word = "log", .line = "logs", .has_same_flags = true},
    {"tail", "logs -f"},
    {"follow", "logs -f"},
    {"rm", "delete", "", " JOB"},
    {"remove", "delete", "", " JOB"},
    {"cancel", "delete", "", " JOB"},
    {"kill", "delete", "", " JOB"},
    {.word = "prune", .line = "delete --finished", .takes_names = false},
    {"hold", "suspend", "", " JOB"},
    {"release", "resume", "", " JOB"},
    {"requeue", "rerun", "", " JOB"},
    {"restart", "rerun", "", " JOB"},
    {.word = "update", .line = "rerun JOB", .takes_names = false},
    {"retry", "rerun", "", " JOB"},
    {"resubmit", "rerun", "", " JOB"},
    {"clone", "rerun", "", " JOB"},
    {"apply", "submit", "", " FILE"},
    {"create", "submit", "", " FILE"},
    {"shell", "exec -it", "", " JOB", " -- sh"},
    {"ssh", "exec -it", "", " JOB", " -- sh"},
    {"pull", "fetch", "", " JOB", ":/PATH ."},
    {"download", "fetch", "", " JOB", ":/PATH ."},
    {"rsync", "cp", "", " JOB", ":/PATH ."},
    {"sweep", "submit-pytorch --image IMAGE --array lr=1e-3,1e-4 -- python3 train.py --lr '{lr}'"},
    {"up", "local up"},
    {"down", "local down"},
    {"lint", "check", "", " FILE", ""},
    {"notebook", "dev --forward 8888 -- jupyter lab --ip 127.0.0.1"},
};

bool is_name(const std::string& word) {
  return !word.starts_with("-");
}

// Flags of another program have no meaning here, except these, which mean the same everywhere.
bool is_known(const std::string& word) {
  return is_name(word) || word == "--local" || word == "-A" || word == "-l";
}

std::string quoted(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += " " + shell_quoted(word);
  return text;
}

// Flags first, then one name.
void keep_first_name(std::vector<std::string>& words) {
  const auto names = std::stable_partition(words.begin(), words.end(),
                                           [](const auto& word) { return !is_name(word); });
  if (names != words.end()) words.erase(names + 1, words.end());
}

Error meant(const Synonym& synonym, const Typed& typed) {
  std::vector<std::string> rest = typed.args;
  // No name says that a value of --token is harmless.
  const bool repeats_all =
      synonym.has_same_flags && job::text_without_secrets(quoted(rest)) == quoted(rest);
  const bool known = typed.words.empty() && (repeats_all || std::ranges::all_of(rest, is_known));
  const bool named = known && std::ranges::any_of(rest, is_name);
  std::string line(named && !synonym.named.empty() ? synonym.named : synonym.line);
  // Only `get` covers all namespaces.
  if (!line.starts_with("get")) std::erase(rest, "-A");
  if (!synonym.takes_names) std::erase_if(rest, is_name);
  const bool has_behind = !synonym.behind_name.empty() && (named || !synonym.without_name.empty());
  if (has_behind) keep_first_name(rest);
  const bool is_whole = line.starts_with("local ") || line.find(" -- ") != std::string::npos;
  const std::string repeated = known && !is_whole ? quoted(rest) : "";
  const std::string_view placeholder = named ? "" : synonym.without_name;
  line += has_behind ? cat(repeated, placeholder, synonym.behind_name) : cat(placeholder, repeated);
  return {Code::usage, cat("there is no command `", synonym.word, "`"), "trainctl " + line};
}

// The line for `run -- python train.py` and `run train.py`, with the typed arguments.
Error meant_run(const std::string& name, std::vector<std::string> program) {
  if (program.empty() || !is_name(program.front())) program = {"python3", "train.py"};
  if (program.front().ends_with(".py")) program.insert(program.begin(), "python3");
  return {Code::usage, cat("there is no command `", name, "`; submit-KIND submits a job"),
          cat("trainctl submit-pytorch --local --workers=1 --follow --", quoted(program))};
}

// `run -- python3 train.py`, and the program itself: `python3 train.py`, `train.py`.
std::optional<Error> meant_program(const std::string& name, const Typed& typed) {
  std::vector<std::string> program = typed.words.empty() ? typed.args : typed.words;
  if (name == "run" || name == "train") return meant_run(name, std::move(program));
  const bool is_program = name == "python" || name == "python3" || name.ends_with(".py");
  if (!is_program) return std::nullopt;
  program.insert(program.begin(), name);
  return meant_run(name, std::move(program));
}

bool is_manifest(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
}

// The options of Slurm that say together how many replicas there are, and how many GPUs each has.
struct SlurmCounts {
  std::optional<long> nodes, gpus, gpus_per_task, tasks_per_node;

  // False for an option that says something else, or something else as well.
  bool take(const std::string& name, const std::string& value) {
    const bool is_of_gpus = name.starts_with("--gpus");
    const auto number = parse_number<long>(is_of_gpus ? slurm::gpu_count(value) : value);
    if (!number || *number < 1) return false;
    if (name == "--ntasks-per-node") tasks_per_node = number;
    if (name == "--nodes") nodes = number;
    if (name == "--gpus") gpus = number;
    if (name == "--gpus-per-task") gpus_per_task = number;
    return name == "--nodes" || name == "--gpus" || name == "--gpus-per-task";
  }

  // " --workers=1 --gpu=4". `has_master`: one of the nodes is no worker.
  std::string flags(bool has_master) const {
    const long all = nodes.value_or(1);
    const long of_tasks = gpus_per_task.value_or(0) * tasks_per_node.value_or(1);
    const long each = gpus ? (*gpus + all - 1) / all : of_tasks;
    return cat(nodes ? cat(" --workers=", has_master ? all - 1 : all) : "",
               each > 0 ? cat(" --gpu=", each) : "");
  }
};

// An option that only a line of the script says: no flag beside the script means the same.
struct ScriptOption {
  std::string name, line;
  std::optional<std::string> flag;  // of a job without a script
};

// A line of srun, sbatch or salloc.
struct SlurmLine {
  SlurmCounts counts;
  std::string flags;                 // the others, translated: " --memory=4Gi"
  std::vector<std::string> program;  // with its arguments
  std::vector<std::string> untranslated;
  std::vector<ScriptOption> of_script;
  std::string job;    // that --jobid names
  std::string tasks;  // of --array
  bool is_interactive = false;
};

// The name under which flag_synonyms.cpp translates an option of Slurm.
std::string slurm_name(const std::string& name) {
  const slurm::Option* option = slurm::find_option(name);
  if (option == nullptr || name == "-h") return name;
  return option->letter == 'x' ? "-x" : cat("--", option->name);
}

bool takes_value(const std::string& name, slurm::Program program) {
  const slurm::Option* option = slurm::find_option(name);
  return option == nullptr ? name.size() > 2 : slurm::takes_word(*option, program);
}

// Several processes of a replica need a launcher: `--torchrun train.py -- --lr 1`.
std::string under_torchrun(const std::vector<std::string>& program) {
  const bool is_python =
      program.size() > 1 && program.front().starts_with("python") && program[1].ends_with(".py");
  if (!is_python) return "";
  const std::span arguments(program.begin() + 2, program.end());
  return cat(" --torchrun ", shell_quoted(program[1]),
             arguments.empty() ? "" : " --" + quoted(arguments));
}

SlurmLine read_slurm_line(const Typed& typed, slurm::Program program) {
  SlurmLine line;
  std::size_t at = 0;
  for (; at < typed.args.size() && !is_name(typed.args[at]); ++at) {
    const ForeignFlag typed_flag = foreign_flag(typed.args[at]);
    const std::string name = slurm_name(typed_flag.name);
    const std::string& value = typed_flag.value;
    const bool has_next = value.empty() && at + 1 < typed.args.size();
    const std::string& given = has_next ? typed.args[at + 1] : value;
    const auto flag = translated_flag(name, given);
    const bool joins_next = has_next && (flag || takes_value(name, program));
    const bool is_batch = program == slurm::Program::sbatch;
    if (line.counts.take(name, given)) {
      // Their flags need all of them.
    } else if (auto text = is_batch ? line_of_script(name, given) : std::nullopt) {
      line.of_script.push_back({name, *std::move(text), flag});
    } else if (flag) {
      line.flags += " " + *flag;
    } else if (name == "--pty") {
      line.is_interactive = true;
    } else if (name == "--array") {
      line.tasks = given;
    } else if (name == "--wait" && is_batch) {
      line.flags += " --wait";
    } else if (name == "--jobid") {
      line.job = given;
    } else if (name == "--wrap") {
      line.program = {"sh", "-c", given};
    } else {
      line.untranslated.push_back(name);
    }
    if (joins_next) ++at;
  }
  line.program.insert(line.program.end(), typed.args.begin() + static_cast<std::ptrdiff_t>(at),
                      typed.args.end());
  line.program.insert(line.program.end(), typed.words.begin(), typed.words.end());
  line.flags = job::text_without_secrets(line.flags);
  return line;
}

// A program that is typed has no script to write into.
void leave_script(SlurmLine& line) {
  if (!line.tasks.empty()) line.untranslated.emplace_back("--array");
  for (const ScriptOption& option : line.of_script) {
    if (option.flag) {
      line.flags += " " + *option.flag;
    } else {
      line.untranslated.push_back(option.name);
    }
  }
  line.of_script.clear();
}

std::string lines_of_script(const SlurmLine& line) {
  std::string text;
  for (const ScriptOption& option : line.of_script) {
    text += cat(text.empty() ? "; write into the script: " : ", ", option.line);
  }
  return text;
}

// `srun python train.py`, `sbatch train.sbatch`, `salloc`, with their flags translated.
std::optional<Error> meant_slurm(const std::string& name, const Typed& typed) {
  if (name != "srun" && name != "sbatch" && name != "salloc") return std::nullopt;
  const bool is_batch = name == "sbatch";
  SlurmLine line = read_slurm_line(typed, is_batch ? slurm::Program::sbatch : slurm::Program::srun);
  const bool is_script = is_batch && !line.is_interactive && line.job.empty() &&
                         (line.program.empty() || line.program.front() != "sh");
  if (!is_script) leave_script(line);
  const bool only_tests = std::erase(line.untranslated, "--test-only") > 0;
  const std::string submit = only_tests ? "trainctl check submit" : "trainctl submit";
  const std::string message = cat("there is no command `", name, "`",
                                  line.untranslated.empty() ? ""
                                                            : cat("; the line below leaves out ",
                                                                  join(line.untranslated, ", ")),
                                  lines_of_script(line));
  if (!line.job.empty()) {
    return Error{Code::usage, message,
                 cat("trainctl exec ", line.is_interactive ? "-it " : "", shell_quoted(line.job),
                     " --", line.program.empty() ? " sh" : quoted(line.program))};
  }
  if (is_batch && !line.program.empty() && is_manifest(line.program.front())) {
    return Error{Code::usage, message, submit + quoted(line.program)};
  }
  const std::string with_master = line.counts.flags(true) + line.flags;
  if (line.is_interactive || name == "salloc") {
    return Error{Code::usage, message, cat("trainctl dev pytorch --image IMAGE", with_master)};
  }
  if (line.program.empty()) line.program = {is_batch ? "train.sbatch" : "./train.sh"};
  if (is_batch && line.program.front() != "sh") {
    const std::span arguments(line.program.begin() + 1, line.program.end());
    return Error{Code::usage, message,
                 cat(submit, ' ', shell_quoted(line.program.front()), " --image IMAGE",
                     line.counts.flags(false), line.flags,
                     line.tasks.empty() ? "" : cat(" --array=", shell_quoted(line.tasks)),
                     " --code .", arguments.empty() ? "" : " --" + quoted(arguments))};
  }
  const bool has_ranks = line.flags.find("--nproc-per-node") != std::string::npos;
  const std::string launched = has_ranks ? under_torchrun(line.program) : "";
  // Slurm starts one task on one node without flags.
  return Error{Code::usage, message,
               cat("trainctl submit-pytorch --image IMAGE", line.counts.nodes ? "" : " --workers=0",
                   with_master, is_batch ? " --code ." : " --code . --follow",
                   launched.empty() ? " --" + quoted(line.program) : launched)};
}

std::string submit_line(std::string_view script) {
  return cat("trainctl submit-pytorch --image IMAGE -- python3 ", shell_quoted(script));
}

// Programs whose commands are typed behind their name, and the words before a job's kind.
constexpr std::string_view k_programs[] = {"runai",    "arena",       "kubectl",
                                           "training", "distributed", "scontrol"};

// The word that decides in `scontrol show job 7` and `scontrol show nodes`; removes the kind of
// object from what follows.
std::string without_object(const std::string& verb, Typed& rest) {
  if (rest.args.empty()) return verb;
  const std::string object = rest.args.front();
  const bool is_job = object == "job" || object == "jobs";
  const bool is_node = object == "node" || object == "nodes" || object == "partition";
  if (is_job || is_node) rest.args.erase(rest.args.begin());
  return is_node ? object : verb;
}

// An array's member has a dash where Slurm's has an underscore.
void use_own_name(std::string& word) {
  if (is_name(word)) word = slurm_jobs(word).front();
}

// The jobs of `scontrol suspend 7,8`.
std::vector<std::string> jobs_behind(const std::vector<std::string>& args) {
  std::vector<std::string> jobs;
  for (auto word = args.begin() + 1; word < args.end(); ++word) {
    if (!is_name(*word)) continue;
    for (std::string& job : slurm_jobs(*word)) jobs.push_back(std::move(job));
  }
  return jobs;
}

// `submit-dist pytorch`, `arena submit pytorchjob`, `training pytorch submit`, `runai list`.
std::optional<Error> meant_behind(const std::vector<std::string>& commands, const std::string& name,
                                  const Typed& typed) {
  const bool submits = name == "submit-dist" || name == "submit-distributed";
  if (!submits && std::ranges::find(k_programs, name) == std::end(k_programs)) return std::nullopt;
  bool says_submit = submits;
  const job::Kind* kind = nullptr;
  for (const std::string& word : typed.args) {
    if (!is_name(word)) break;
    says_submit = says_submit || word.starts_with("submit");
    if (kind == nullptr) kind = job::find_kind(word);
  }
  const std::string message = cat("there is no command `", name, "`");
  if (says_submit) {
    return Error{Code::usage, message,
                 cat("trainctl submit-", kind == nullptr ? "pytorch" : kind->alias)};
  }
  if (typed.args.empty() || !is_name(typed.args.front())) return std::nullopt;
  const std::string& word = typed.args.front();
  const bool is_scontrol = name == "scontrol";
  if (is_scontrol && (word == "suspend" || word == "resume")) {
    const std::vector<std::string> jobs = jobs_behind(typed.args);
    return Error{Code::usage, message,
                 cat("trainctl ", word, jobs.empty() ? " JOB" : quoted(jobs))};
  }
  if (std::ranges::find(commands, word) != commands.end()) {
    return Error{Code::usage, message, cat("trainctl ", word, " --help shows what follows it")};
  }
  Typed rest = typed;
  rest.args.erase(rest.args.begin());
  if (is_scontrol) std::ranges::for_each(rest.args, use_own_name);
  Error error = unknown_command(commands, without_object(word, rest), rest);
  if (error.message.starts_with("there is no command")) error.message = message;
  return error;
}

}  // namespace

Error unknown_command(const std::vector<std::string>& commands, const std::string& name,
                      const Typed& typed) {
  if (auto program = meant_program(name, typed)) return *std::move(program);
  if (auto slurm = meant_slurm(name, typed)) return *std::move(slurm);
  if (auto behind = meant_behind(commands, name, typed)) return *std::move(behind);
  if (auto question = meant_question(name, typed.args)) return *std::move(question);
  for (const Synonym& synonym : k_synonyms) {
    if (synonym.word == name) return meant(synonym, typed);
  }
  if (const job::Kind* kind = job::find_kind(name)) {
    return {Code::usage, cat("there is no command `", name, "`"),
            cat("trainctl submit-", kind->alias, ", or trainctl get --kind ", kind->alias)};
  }
  const std::string near = nearest(name, commands);
  return {Code::usage,
          near.empty() ? cat("unknown command `", name, "`")
                       : cat("unknown command `", name, "`; did you mean `", near, "`?"),
          "trainctl --help lists the commands"};
}

std::optional<std::string> instead_of_word(const std::string& command, const std::string& word) {
  if (command == "exec") return cat("-- ", shell_quoted(word));
  if (command == "scale" && parse_number<long>(word)) return cat("--workers=", word);
  if (!command.starts_with("submit-")) return std::nullopt;
  if (word.ends_with(".py")) return cat("-- python3 ", shell_quoted(word));
  return std::nullopt;
}

bool names_script(const std::string& command, const std::vector<std::string>& args) {
  if (command != "submit") return false;
  const bool has_manifest = std::ranges::any_of(args, [](const std::string& word) {
    return lists("- -f --filename", word) || is_manifest(word);
  });
  return !has_manifest && std::ranges::any_of(args, [](const std::string& word) {
    return is_name(word) && !parse_number<long>(word);
  });
}

std::optional<std::string> time_behind_t(const std::string& command,
                                         const std::vector<std::string>& args) {
  if (!command.starts_with("submit")) return std::nullopt;
  const auto flag = std::ranges::find(args, std::string("-t"));
  if (flag == args.end() || std::next(flag) == args.end()) return std::nullopt;
  const std::string& value = *std::next(flag);
  return slurm::clock_time(value).empty() ? std::nullopt : std::optional(value);
}

std::optional<std::string> line_for_word(const std::string& command, const std::string& word) {
  if (command == "submit") {
    if (const job::Kind* kind = job::find_kind(word)) return cat("trainctl submit-", kind->alias);
    if (word.ends_with(".py")) return submit_line(word);
  }
  if (!command.starts_with("submit")) return std::nullopt;
  if (command == "submit") return std::nullopt;
  if (word == "-f" || word == "--filename") return "trainctl submit -f FILE";
  if (is_manifest(word)) return "trainctl submit " + shell_quoted(word);
  return std::nullopt;
}

}  // namespace trainctl::options
