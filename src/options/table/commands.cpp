// The table of commands. A new command is one row here, a line in cli/commands.h, and one file with
// its definition.
#include "options/table/commands.h"

#include "base/text/text.h"
#include "manifest/kind/kind.h"

namespace trainctl::options {
namespace {

constexpr std::string_view k_submit = "Submit";
constexpr std::string_view k_look = "Inspect and follow";
constexpr std::string_view k_inside = "Inside the replicas";
constexpr std::string_view k_change = "Change";
constexpr std::string_view k_local = "Embedded cluster";
constexpr std::string_view k_about = "About trainctl";
constexpr std::string_view k_hidden = "";

// Makes the submit-KIND command for a row of the kind table.
CommandRow submit_command(const job::Kind& kind) {
  const std::string name = cat("submit-", kind.alias);
  const std::string example =
      cat("trainctl ", name, " --name train --workers=2 -i registry/train:1");
  return {Effect::changes,
          k_submit,
          name,
          cat("Submit ", kind.summary),
          cat(example, " -g 1 --follow -- --epochs 3\n", example, " --dry-run"),
          "",
          true};
}

}  // namespace

std::vector<CommandRow> command_table() {
  using enum Effect;
  std::vector<CommandRow> all;
  for (const job::Kind& kind : job::operator_kinds()) all.push_back(submit_command(kind));
  const std::vector<CommandRow> rest = {
      {changes, k_submit, "submit", "Submit your own manifest, or a batch script of Slurm",
       "trainctl submit job.yaml --follow\n"
       "trainctl submit train.sbatch -i registry/train:1 --code . --follow\n"
       "trainctl submit -f - --set /spec/runPolicy/backoffLimit=3 < job.yaml",
       "", true},
      {changes, k_submit, "rerun", "Submit a job again, as it is or with changed flags",
       "trainctl rerun ddp -e LR=0.01 --follow\n"
       "trainctl rerun ddp --name ddp-long --workers=4 -- --epochs 90",
       "", true},
      {changes, k_submit, "dev", "Work in a replica with your code and a shell, until you exit",
       "trainctl dev pytorch -i registry/train:1 -g 1 --code .\n"
       "trainctl dev -i registry/train:1 --forward 8888 -- jupyter lab --ip 127.0.0.1",
       "", true},
      {reads, k_submit, "check", "Check what would keep a job from running, before it exists",
       "trainctl check submit-pytorch --name ddp --workers=3 -g 8 -i registry/ddp:1 --pvc "
       "data:/data\n"
       "trainctl check job.yaml -o json"},
      {own, k_submit, "template", "Show or copy the manifests that submit-KIND starts from",
       "trainctl template list\ntrainctl template show pytorch\ntrainctl template eject pytorch"},
      {reads, k_submit, "convert", "Print a job as a TrainJob of Kubeflow Trainer v2",
       "trainctl convert job.yaml | kubectl create -f -\n"
       "trainctl convert submit-pytorch --name ddp --workers=1 -i registry/ddp:1 -- --epochs 3"},
      {reads, k_submit, "runtimes", "List the runtimes of Kubeflow Trainer for --runtime",
       "trainctl runtimes\ntrainctl runtimes --sort-by framework -o json"},
      {reads, k_look, "get", "List jobs and their state",
       "trainctl get\ntrainctl get ddp -o json\ntrainctl get -A --status Running,Failed -w",
       "list"},
      {reads, k_look, "top", "Show the GPUs, CPU and memory of jobs, or of nodes",
       "trainctl top\ntrainctl top ddp -w\ntrainctl top --nodes -o json"},
      {reads, k_look, "describe", "Show everything about a job on one screen",
       "trainctl describe ddp\ntrainctl describe ddp -o json"},
      {reads, k_look, "why", "Explain why a job does not run, or how it ended",
       "trainctl why ddp\ntrainctl why ddp -o json"},
      {reads, k_look, "report", "Write one HTML file about a run, with its curves and log",
       "trainctl report ddp -o run.html\ntrainctl report 12 -o run.html\ntrainctl report sweep "
       "-o sweep.html"},
      {reads, k_look, "doctor", "Show what the processes of a job that hangs wait for",
       "trainctl doctor ddp\ntrainctl doctor ddp/worker-1\ntrainctl doctor ddp -o json --save "
       "answers"},
      {reads, k_look, "support-bundle", "Pack all that is known about a job into one archive",
       "trainctl support-bundle ddp -o ddp.tar.gz"},
      {reads, k_look, "events", "Show what happened to a job and its replicas",
       "trainctl events ddp\ntrainctl events ddp/worker-1\ntrainctl events ddp -w -o json"},
      {reads, k_look, "env", "Show the environment of each replica, also before submitting",
       "trainctl env ddp\ntrainctl env ddp/worker-1\n"
       "trainctl submit-tf --name mnist --workers=2 -i registry/mnist:1 --dry-run | "
       "trainctl env -f -"},
      {reads, k_look, "logs", "Print the logs of a job's replicas",
       "trainctl logs -f ddp\ntrainctl logs ddp/worker-1 --tail 20\ntrainctl logs ddp --all "
       "--timestamps"},
      {reads, k_look, "wait", "Wait for a job's verdict",
       "trainctl wait ddp --timeout 2h\ntrainctl wait ddp --for=running"},
      {reads, k_look, "history", "List the runs submitted or followed from this machine",
       "trainctl history --limit 20\ntrainctl history --since 2d --verdict failed\ntrainctl "
       "history ddp\ntrainctl history 12 -o manifest\n"
       "trainctl history --gpu-hours --by user"},
      {reads, k_look, "grep", "Find lines in the logs of past runs",
       "trainctl grep 'loss.*nan'\ntrainctl grep -i oom ddp --limit 20"},
      {reads, k_look, "compare", "Show how two past runs differ: flags, code, verdict",
       "trainctl compare ddp ddp-long\ntrainctl compare 11 12 -o json"},
      {reads, k_look, "plot", "Draw the metrics of jobs, runs or log files in the terminal",
       "trainctl plot ddp -w\ntrainctl plot 11 12 --metric loss --log-y\n"
       "trainctl plot sweep -o svg > sweep.svg"},
      {changes, k_inside, "exec", "Run a command in a replica, or in all of them",
       "trainctl exec -it ddp -- sh\ntrainctl exec ddp/worker-1 -- nvidia-smi\n"
       "trainctl exec ddp --all -- df -h /data",
       "", true},
      {changes, k_inside, "attach", "Show a replica's output from now on, and type into it",
       "trainctl attach ddp/worker-1\ntrainctl attach -i ddp"},
      {changes, k_inside, "cp", "Copy files and directories from or to a replica",
       "trainctl cp ddp:/data/model.pt .\ntrainctl cp src ddp/worker-1:/work"},
      {changes, k_inside, "fetch", "Copy results from a job's volumes, also without its pods",
       "trainctl fetch ddp:/data/out results\ntrainctl fetch --list ddp\n"
       "trainctl fetch --pvc data:/out results --helper-image busybox"},
      {changes, k_inside, "port-forward", "Forward local ports to a replica",
       "trainctl port-forward ddp 6006\ntrainctl port-forward ddp/worker-1 8080:80 :9090"},
      {changes, k_change, "delete", "Delete jobs",
       "trainctl delete ddp mnist\ntrainctl delete --finished --older-than 7d"},
      {changes, k_change, "suspend", "Stop a job's pods until it is resumed",
       "trainctl suspend ddp\ntrainctl suspend sweep"},
      {changes, k_change, "stop", "Stop a job's pods and keep their logs", "trainctl stop ddp"},
      {changes, k_change, "resume", "Continue a suspended job", "trainctl resume ddp"},
      {changes, k_change, "scale", "Change the number of workers of an elastic job",
       "trainctl scale ddp --workers=4"},
      {own, k_local, "local", "Start, stop or show the embedded cluster of this machine",
       "trainctl local up\ntrainctl local status\ntrainctl local down"},
      {own, k_about, "config", "Show or set the defaults of flags",
       "trainctl config view --origin\ntrainctl config set namespace ml\n"
       "trainctl config set submit-pytorch.image registry/ddp:1",
       "", false, false},
      {reads, k_about, "whoami", "Show which cluster is used, and as which user",
       "trainctl whoami\ntrainctl whoami --context lab -o json"},
      {own, k_about, "rbac", "Print the minimal Role for given uses of trainctl",
       "trainctl rbac -n ml | kubectl apply -f -\n"
       "trainctl rbac --for submit,follow,cancel --service-account ci"},
      {reads, k_about, "mcp", "Offer jobs to agents as tools (Model Context Protocol)",
       "trainctl mcp --context lab -n ml\ntrainctl mcp --local --allow-changes"},
      {own, k_about, "skill", "Print a SKILL.md that teaches agents to use trainctl",
       "trainctl skill > SKILL.md", "", false, false},
      {own, k_about, "completion", "Print the completion script of a shell",
       "source <(trainctl completion bash)", "", false, false},
      {own, k_about, "version", "Print the version", "trainctl version\ntrainctl version -o json",
       "", false, false},
      {own, k_about, "help", "Help about a command, exit-codes, reports or slurm", "", "", false,
       false},
      {own, k_hidden, "__complete", "Answers the completions of the shells", "", "", true, false},
      {own, k_hidden, "__man", "Prints the manual page", "", "", false, false},
      {own, k_hidden, "__markdown", "Prints the tables of docs/", "", "", false, false},
  };
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace trainctl::options
