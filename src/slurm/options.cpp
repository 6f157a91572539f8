// The table of options: one row for each option of sbatch, and for those that only srun has.
#include "slurm/options.h"

#include <algorithm>

#include "slurm/values.h"

namespace trainctl::slurm {
namespace {

constexpr Value k_bare = Value::none;
constexpr std::string_view k_wait =
    "delete the line, and run it behind the other: trainctl wait JOB && trainctl submit FILE";
constexpr std::string_view k_product = "--gpu-product=PRODUCT or --node-selector=KEY=VALUE";
constexpr std::string_view k_logs =
    "--save-logs=DIR with --follow; trainctl logs JOB prints them at any time";
constexpr std::string_view k_mail = "--notify=CMD with --follow";
constexpr std::string_view k_parts = "submit a job for each part: trainctl submit FILE";

constexpr Option k_options[] = {
    {"nodes", 'N', Use::counted},
    {"ntasks", 'n', Use::counted},
    {"ntasks-per-node", 0, Use::counted},
    {"ntasks-per-gpu", 0, Use::counted},
    {"cpus-per-task", 'c', Use::counted},
    {"cpus-per-gpu", 0, Use::counted},
    {"mem", 0, Use::counted},
    {"mem-per-cpu", 0, Use::counted},
    {"mem-per-gpu", 0, Use::counted},
    {"gres", 0, Use::counted},
    {"gpus", 'G', Use::counted},
    {"gpus-per-node", 0, Use::counted},
    {"gpus-per-task", 0, Use::counted},

    {"job-name", 'J', Use::own},
    {"array", 'a', Use::own},
    {"partition", 'p', Use::own},
    {"export", 0, Use::own},
    {"time", 't', Use::own},
    {"container-image", 0, Use::own},
    {"nodelist", 'w', Use::flag, "node"},
    {"exclude", 'x', Use::flag, "exclude-node"},
    {"chdir", 'D', Use::flag, "working-dir"},

    {"constraint", 'C', Use::warned, k_product},
    {"output", 'o', Use::warned, k_logs},
    {"error", 'e', Use::warned, k_logs},
    {"account", 'A', Use::warned, "-n NAMESPACE, which has the quota"},
    {"qos", 'q', Use::warned, "--priority-class=NAME"},
    {"requeue", 0, Use::own, "", k_bare},
    {"signal", 0, Use::own},
    {"mail-type", 0, Use::own, k_mail},
    {"mail-user", 0, Use::own, k_mail},
    {"container-mounts", 0, Use::warned, "--pvc=CLAIM:/PATH"},
    {"deadline", 0, Use::warned, "--active-deadline=DURATION ends the job after that time"},
    {"priority", 0, Use::warned, "--priority-class=NAME"},
    {"tmp", 0, Use::warned, "--node-selector=KEY=VALUE chooses nodes with room"},
    {"reservation", 0, Use::warned, "--queue=NAME"},
    {"licenses", 'L', Use::warned, "--queue=NAME"},
    {"gpus-per-socket", 0, Use::warned, "-g N, for each node"},
    {"tres-per-task", 0, Use::warned, "-g N and --cpu=N, for each node"},
    {"wait", 'W', Use::own, "", Value::word_of_srun},

    {"dependency", 'd', Use::refused, k_wait},
    {"begin", 'b', Use::refused, "submit it at that time, with at or cron"},
    {"hold", 'H', Use::refused, "write --suspend behind the FILE", k_bare},
    {"test-only", 0, Use::refused, "check the script: trainctl check submit FILE", k_bare},
    {"wrap", 0, Use::refused, "write the line into the script"},
    {"multi-prog", 0, Use::refused, k_parts, k_bare},
    {"input", 'i', Use::refused, "redirect it in the script: python3 train.py < FILE"},

    {"accel-bind"},
    {"acctg-freq"},
    {"batch"},
    {"bb"},
    {"bbf"},
    {"bcast", 0, Use::ignored, "", k_bare},
    {"bcast-exclude"},
    {"cluster"},
    {"cluster-constraint"},
    {"clusters", 'M'},
    {"comment"},
    {"compress", 0, Use::ignored, "", k_bare},
    {"consolidate-segments", 0, Use::ignored, "", k_bare},
    {"container"},
    {"container-env"},
    {"container-id"},
    {"container-mount-home", 0, Use::ignored, "", k_bare},
    {"container-name"},
    {"container-remap-root", 0, Use::ignored, "", k_bare},
    {"container-save"},
    {"container-workdir"},
    {"container-writable", 0, Use::ignored, "", k_bare},
    {"contiguous", 0, Use::ignored, "", k_bare},
    {"core-spec", 'S'},
    {"cores-per-socket"},
    {"cpu-bind"},
    {"cpu-freq"},
    {"debugger-test", 0, Use::ignored, "", k_bare},
    {"delay-boot"},
    {"disable-status", 'X', Use::ignored, "", k_bare},
    {"distribution", 'm'},
    {"epilog"},
    {"exact", 0, Use::ignored, "", k_bare},
    {"exclusive", 0, Use::ignored, "", k_bare},
    {"export-file"},
    {"external", 0, Use::ignored, "", k_bare},
    {"extra"},
    {"extra-node-info", 'B'},
    {"get-user-env", 0, Use::ignored, "", k_bare},
    {"gid"},
    {"gpu-bind"},
    {"gpu-freq"},
    {"gres-flags"},
    {"help", 0, Use::ignored, "", k_bare},
    {"het-group"},
    {"hint"},
    {"ignore-pbs", 0, Use::ignored, "", k_bare},
    {"immediate", 'I', Use::ignored, "", k_bare},
    {"jobid"},
    {"kill-on-bad-exit", 'K', Use::ignored, "", k_bare},
    {"kill-on-invalid-dep"},
    {"label", 'l', Use::ignored, "", k_bare},
    {"mcs-label"},
    {"mem-bind"},
    {"mincpus"},
    {"mpi"},
    {"msg-timeout"},
    {"network"},
    {"nice", 0, Use::ignored, "", k_bare},
    {"no-allocate", 'Z', Use::ignored, "", k_bare},
    {"no-container-entrypoint", 0, Use::ignored, "", k_bare},
    {"no-container-mount-home", 0, Use::ignored, "", k_bare},
    {"no-container-remap-root", 0, Use::ignored, "", k_bare},
    {"no-kill", 'k', Use::ignored, "", k_bare},
    {"no-requeue", 0, Use::ignored, "", k_bare},
    {"nodefile", 'F'},
    {"ntasks-per-core"},
    {"ntasks-per-socket"},
    {"ntasks-per-tres"},
    {"oom-kill-step", 0, Use::ignored, "", k_bare},
    {"open-mode"},
    {"overcommit", 'O', Use::ignored, "", k_bare},
    {"overlap", 0, Use::ignored, "", k_bare},
    {"oversubscribe", 's', Use::ignored, "", k_bare},
    {"parsable", 0, Use::ignored, "", k_bare},
    {"power"},
    {"prefer"},
    {"preserve-env", 'E', Use::ignored, "", k_bare},
    {"profile"},
    {"prolog"},
    {"propagate", 0, Use::ignored, "", k_bare},
    {"pty", 0, Use::ignored, "", k_bare},
    {"quiet", 'Q', Use::ignored, "", k_bare},
    {"quit-on-interrupt", 0, Use::ignored, "", k_bare},
    {"reboot", 0, Use::ignored, "", k_bare},
    {"relative", 'r'},
    {"resv-ports", 0, Use::ignored, "", k_bare},
    {"segment"},
    {"send-libs", 0, Use::ignored, "", k_bare},
    {"share", 0, Use::ignored, "", k_bare},
    {"slurmd-debug"},
    {"sockets-per-node"},
    {"spread-job", 0, Use::ignored, "", k_bare},
    {"spread-segments", 0, Use::ignored, "", k_bare},
    {"stepmgr", 0, Use::ignored, "", k_bare},
    {"switches"},
    {"task-epilog"},
    {"task-prolog"},
    {"thread-spec"},
    {"threads", 'T'},
    {"threads-per-core"},
    {"time-min"},
    {"treewidth"},
    {"tres-bind"},
    {"uid"},
    {"unbuffered", 'u', Use::ignored, "", k_bare},
    {"usage", 0, Use::ignored, "", k_bare},
    {"use-min-nodes", 0, Use::ignored, "", k_bare},
    {"verbose", 'v', Use::ignored, "", k_bare},
    {"version", 'V', Use::ignored, "", k_bare},
    {"wait-all-nodes"},
    {"wckey"},
    {"x11", 0, Use::ignored, "", k_bare},
};

}  // namespace

std::span<const Option> options() {
  return k_options;
}

bool takes_word(const Option& option, Program program) {
  return option.value == Value::word ||
         (option.value == Value::word_of_srun && program == Program::srun);
}

const Option* find_option(std::string_view word) {
  if (!word.starts_with("--")) {
    const auto found = std::ranges::find_if(k_options, [word](const Option& option) {
      return word.size() == 2 && word[0] == '-' && option.letter == word[1];
    });
    return found == std::end(k_options) ? nullptr : found;
  }
  const std::string_view name = word.substr(2);
  const Option* near = nullptr;
  int count = 0;
  for (const Option& option : k_options) {
    if (option.name == name) return &option;
    if (!option.name.starts_with(name)) continue;
    near = &option;
    ++count;
  }
  return count == 1 ? near : nullptr;
}

}  // namespace trainctl::slurm
