// Words that people bring from other programs are answered with the line to type.
#include "options/table/synonyms.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/command.h"
#include "cli/options/parse.h"
#include "cli/run_command.h"
#include "options/table/command_line.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace synonyms_test {

constexpr const char* k_words[] = {
    "ls",         "ps",       "jobs",    "queue",   "squeue", "status",  "show",   "inspect",
    "info",       "watch",    "log",     "tail",    "follow", "rm",      "remove", "cancel",
    "kill",       "scancel",  "apply",   "create",  "sbatch", "run",     "train",  "pytorch",
    "htop",       "shell",    "ssh",     "restart", "retry",  "clone",   "pull",   "download",
    "rsync",      "notebook", "nodes",   "gpus",    "up",     "down",    "lint",   "resubmit",
    "sstat",      "sreport",  "seff",    "sattach", "update", "sinfo",   "usage",  "pods",
    "srun",       "salloc",   "sacct",   "sweep",   "diff",   "metrics", "prune",  "cat",
    "nvidia-smi", "hold",     "release", "requeue"};

// The error and the hint.
std::vector<std::string> answer_to(const std::vector<std::string>& args) {
  CommandRun run;
  CHECK(run(args) == 2);
  CHECK(run.clients == 0);
  return split(run.console.stderr_text, '\n');
}

std::string line_for(const std::vector<std::string>& args) {
  return answer_to(args).at(1);
}

std::string error_for(const std::vector<std::string>& args) {
  return answer_to(args).at(0);
}

TEST_CASE("a word of another program is answered with a command that there is") {
  for (const std::string word : k_words) {
    CAPTURE(word);
    CHECK_FALSE(all_commands().find(word));  // else its row hides nothing and is to be deleted
    const std::string line = line_for({word, "ddp"});
    CHECK(line != "hint: trainctl --help lists the commands");
    const std::size_t at = line.find("trainctl ");
    if (at == std::string::npos) continue;
    const std::string command = split(line.substr(at), ' ').at(1);
    CAPTURE(command);
    CHECK(all_commands().find(split(command, ',').at(0)));
  }
}

TEST_CASE("the line repeats the names that were typed, and nothing of another program's flags") {
  CHECK(line_for({"ls"}) == "hint: trainctl get");
  CHECK(line_for({"ls", "--local"}) == "hint: trainctl get --local");
  CHECK(line_for({"ls", "-A"}) == "hint: trainctl get -A");
  CHECK(line_for({"--local", "ps", "-A"}) == "hint: trainctl get --local -A");
  CHECK(line_for({"nodes", "ddp", "--local"}) == "hint: trainctl top --nodes --local");
  CHECK(line_for({"rm", "-A"}) == "hint: trainctl delete JOB");
  CHECK(line_for({"status", "ddp", "-A"}) == "hint: trainctl describe ddp");
  CHECK(line_for({"ls", "-la"}) == "hint: trainctl get");
  CHECK(line_for({"status", "ddp"}) == "hint: trainctl describe ddp");
  CHECK(line_for({"--local", "status"}) == "hint: trainctl get --local");
  CHECK(line_for({"rm", "a", "b"}) == "hint: trainctl delete a b");
  CHECK(line_for({"kill"}) == "hint: trainctl delete JOB");
  CHECK(line_for({"apply", "-f", "job.yaml"}) == "hint: trainctl submit FILE");
  CHECK(line_for({"ssh", "ddp"}) == "hint: trainctl exec -it ddp -- sh");
  CHECK(line_for({"--local", "shell"}) == "hint: trainctl exec -it --local JOB -- sh");
  CHECK(line_for({"pull", "ddp", "out"}) == "hint: trainctl fetch ddp:/PATH .");
  CHECK(line_for({"lint", "job.yaml"}) == "hint: trainctl check job.yaml");
  CHECK(line_for({"up"}) == "hint: trainctl local up");
  CHECK(line_for({"train.py", "--lr", "0.1"}) ==
        "hint: trainctl submit-pytorch --local --workers=1 --follow -- python3 train.py --lr 0.1");
  CHECK(line_for({"python", "train.py"}) ==
        "hint: trainctl submit-pytorch --local --workers=1 --follow -- python train.py");
  CHECK(line_for({"run", "--", "python", "train.py", "--lr", "0.1"}) ==
        "hint: trainctl submit-pytorch --local --workers=1 --follow -- python train.py --lr 0.1");
  CHECK(line_for({"run", "train.py"}) ==
        "hint: trainctl submit-pytorch --local --workers=1 --follow -- python3 train.py");
}

TEST_CASE("a flag of another program is answered with the flag to type") {
  const struct {
    std::vector<std::string> typed;
    const char* line;
  } rows[] = {
      {{"--nodes", "4"}, "--workers=3: the master is one more node"},
      {{"--nnodes=4"}, "--workers=3: the master is one more node"},
      {{"-N2"}, "--workers=1: the master is one more node"},
      {{"-N", "1"}, "--workers=0: the master is one more node"},
      {{"--nodes=2-4"}, "--workers=N: the master is one more node"},
      {{"--nodes"}, "--workers=N: the master is one more node"},
      {{"--ntasks-per-node", "8"}, "--nproc-per-node=8"},
      {{"--mem", "4G"}, "--memory=4Gi"},
      {{"--mem", "4GB"}, "--memory=4Gi"},
      {{"--mem=64000"}, "--memory=64000Mi"},
      {{"--mem", "--follow"}, "--memory=16Gi"},
      {{"--mem", "lots"}, "--memory=16Gi"},
      {{"--gres", "gpu:4"}, "--gpu=4"},
      {{"--gres=gpu:a100:2"}, "--gpu=2"},
      {{"--gres=gpu"}, "--gpu=1"},
      {{"--gpus", "2"}, "--gpu=2"},
      {{"--gres", "all"}, "-g N, the number of GPUs of each replica"},
      {{"--gpus-per-node", "8"}, "--gpu=8"},
      {{"-c", "4"}, "--cpu=4"},
      {{"-c", "four"}, "--cpu=N"},
      {{"--cpus-per-task=4"}, "--cpu=4"},
      {{"--time", "90"}, "--active-deadline=1h30m"},
      {{"--time", "30:00"}, "--active-deadline=30m"},
      {{"--time", "2:00:00"}, "--active-deadline=2h"},
      {{"--time=1-12"}, "--active-deadline=36h"},
      {{"--time=1-0:30:05"}, "--active-deadline=24h30m5s"},
      {{"--time", "2h"}, "--active-deadline=2h"},
      {{"--time", "soon"}, "--active-deadline=12h"},
      {{"--partition", "gpu"}, "--queue=gpu"},
      {{"--job-name", "two words"}, "--name='two words'"},
      {{"-J", "ddp"}, "--name=ddp"},
      {{"-w", "4"}, "--workers=N, --working-dir=DIR or --node=NODE"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> line = {"submit-pytorch"};
    line.insert(line.end(), row.typed.begin(), row.typed.end());
    CAPTURE(join(line, " "));
    CHECK(line_for(line) == cat("hint: use ", row.line));
  }
  CHECK(line_for({"logs", "-w", "ddp"}) == "hint: trainctl logs -f JOB");
}

TEST_CASE("the flag to type is one of the kind that is submitted") {
  CHECK(line_for({"submit-jax", "--nodes=4"}) == "hint: use --workers=4");
  CHECK(line_for({"submit-mpi", "--nodes"}) == "hint: use --workers=N");
  CHECK(line_for({"submit-mpi", "--ntasks-per-node=8"}) == "hint: use --slots-per-worker=8");
  CHECK(line_for({"rerun", "ddp", "--nodes=4"}).starts_with("hint: use --workers=3"));
}

TEST_CASE("a line of Slurm is answered with the line to type, its values kept") {
  const struct {
    std::vector<std::string> typed;
    const char* line;
  } rows[] = {
      {{"srun", "python", "x.py"},
       "submit-pytorch --image IMAGE --workers=0 --code . --follow -- python x.py"},
      {{"srun", "-N", "2", "--gres=gpu:4", "-p", "long", "-v", "python", "x.py", "--lr", "1"},
       "submit-pytorch --image IMAGE --workers=1 --gpu=4 --queue=long --code . --follow -- python "
       "x.py "
       "--lr 1"},
      {{"srun", "-N2", "-n16", "-u", "python", "x.py"},
       "submit-pytorch --image IMAGE --workers=1 --code . --follow -- python x.py"},
      {{"srun", "--exclusive", "python", "x.py"},
       "submit-pytorch --image IMAGE --workers=0 --code . --follow -- python x.py"},
      {{"srun", "-x", "n1", "--qos=high", "--export=LR=1", "a.out"},
       "submit-pytorch --image IMAGE --workers=0 --exclude-node=n1 --priority-class=high "
       "--env=LR=1 --code . --follow -- a.out"},
      {{"srun", "-t", "2:00:00", "-p", "gpu", "--exclude", "n1", "--begin", "now", "a.out"},
       "submit-pytorch --image IMAGE --workers=0 --active-deadline=2h --queue=gpu "
       "--exclude-node=n1 --code . --follow -- a.out"},
      {{"srun", "-N2", "--ntasks-per-node=4", "python3", "x.py", "--lr", "1"},
       "submit-pytorch --image IMAGE --workers=1 --nproc-per-node=4 --code . --follow --torchrun "
       "x.py -- --lr 1"},
      {{"sbatch", "--wait", "--time", "10", "x.sh"},
       "submit x.sh --image IMAGE --wait --active-deadline=10m --code ."},
      {{"sbatch", "--wrap", "python x.py"},
       "submit-pytorch --image IMAGE --workers=0 --code . -- sh -c 'python x.py'"},
      {{"srun", "-N4", "-G", "16", "a.out"},
       "submit-pytorch --image IMAGE --workers=3 --gpu=4 --code . --follow -- a.out"},
      {{"srun", "-N2", "--ntasks-per-node=4", "--gpus-per-task=1", "a.out"},
       "submit-pytorch --image IMAGE --workers=1 --gpu=4 --nproc-per-node=4 --code . --follow -- "
       "a.out"},
      {{"sbatch", "-N4", "--gpus=16", "train.sbatch"},
       "submit train.sbatch --image IMAGE --workers=4 --gpu=4 --code ."},
      {{"srun", "--mem", "0", "a.out"},
       "submit-pytorch --image IMAGE --workers=0 --code . --follow -- a.out"},
      {{"srun", "--jobid", "7", "--pty", "bash"}, "exec -it 7 -- bash"},
      {{"srun", "--jobid=7", "nvidia-smi"}, "exec 7 -- nvidia-smi"},
      {{"scontrol", "update", "jobid=7"}, "rerun JOB"},
      {{"srun", "--pty", "--gpus", "1", "bash"}, "dev pytorch --image IMAGE --gpu=1"},
      {{"salloc", "--mem=8G"}, "dev pytorch --image IMAGE --memory=8Gi"},
      {{"sbatch", "train.sbatch"}, "submit train.sbatch --image IMAGE --code ."},
      {{"sbatch", "--time", "1:00:00", "train.sh", "3"},
       "submit train.sh --image IMAGE --active-deadline=1h --code . -- 3"},
      {{"sbatch", "job.yaml"}, "submit job.yaml"},
      {{"squeue", "--me"}, "get"},
      {{"sacct"}, "history"},
      {{"scancel", "7"}, "delete 7"},
      {{"scancel", "-u", "ada"}, "delete -l trainctl/owner=ada"},
      {{"scancel", "--name=ddp"}, "delete ddp"},
      {{"squeue", "-u", "ada"}, "get -l trainctl/owner=ada"},
      {{"squeue", "--start"}, "why"},
      {{"squeue", "--start", "-j", "7"}, "why 7"},
      {{"squeue", "--start", "-u", "ada"}, "why -l trainctl/owner=ada"},
      {{"squeue", "-l", "--start", "-j", "arr_3"}, "why arr-3"},
      {{"squeue", "-t", "PD"}, "get --status Queued,Pending"},
      {{"squeue", "-i", "5", "-t", "R,PD"}, "get -w --status Running,Queued,Pending"},
      {{"scancel", "arr_3"}, "delete arr-3"},
      {{"scancel", "arr_[1-2]", "--local"}, "delete --local arr-1 arr-2"},
      {{"scancel", "-t", "PENDING", "-u", "bob"},
       "get -l trainctl/owner=bob --status Queued,Pending lists them; trainctl delete JOB deletes "
       "one"},
      {{"scancel", "-p", "gpu", "7"}, "get 7 lists them; trainctl delete JOB deletes one"},
      {{"sacct", "-S", "now-2days", "-s", "F,TO"}, "history --since 2d --verdict failed"},
      {{"sacct", "-s", "CA", "--format", "JobID"}, "history --verdict removed"},
      {{"scontrol", "suspend", "one"}, "suspend one"},
      {{"scontrol", "resume", "arr_1"}, "resume arr-1"},
      {{"sbatch", "-a", "1-3", "p.sbatch"}, "submit p.sbatch --image IMAGE --array=1-3 --code ."},
      {{"sbatch", "--ntasks-per-node=4", "-N2", "p.sbatch"},
       "submit p.sbatch --image IMAGE --workers=2 --code ."},
      {{"sbatch", "-c", "4", "--wrap", "python x.py"},
       "submit-pytorch --image IMAGE --workers=0 --cpu=4 --code . -- sh -c 'python x.py'"},
      {{"srun", "-W", "60", "-X", "a.out"},
       "submit-pytorch --image IMAGE --workers=0 --code . --follow -- a.out"},
      {{"seff", "7"}, "top 7 while it runs; trainctl history lists ended runs"},
      {{"sacct", "-j"}, "history"},
      {{"sacct", "-j", "7"}, "history 7"},
      {{"scontrol", "show", "job"}, "get"},
      {{"sacct", "-u", "ada"}, "history"},
      {{"sacct", "-n", "7"}, "history 7"},
      {{"scancel", "-u"}, "delete JOB"},
      {{"sinfo"}, "top --nodes"},
      {{"scontrol", "show", "job", "7"}, "describe 7"},
      {{"scontrol", "show", "nodes"}, "top --nodes"},
      {{"scontrol", "show", "partition", "gpu"}, "top --nodes"},
      {{"scontrol", "hold", "7"}, "suspend 7"},
      {{"scontrol", "release", "7"}, "resume 7"},
      {{"scontrol", "requeue", "7"}, "rerun 7"},
  };
  for (const auto& row : rows) {
    CAPTURE(join(row.typed, " "));
    CHECK(line_for(row.typed) == cat("hint: trainctl ", row.line));
  }
}

TEST_CASE("a line of Slurm whose flags have no counterpart says which it leaves out") {
  CommandRun run;
  CHECK(run({"sbatch", "--deadline=0-3", "--output=x.log", "-N2", "train.sh"}) == 2);
  CHECK(
      run.console.stderr_text.starts_with("error: there is no command `sbatch`; the line "
                                          "below leaves out --deadline, --output\n"));
  CHECK(error_for({"sbatch", "--wrap", "a", "--array=0-3"}).ends_with("leaves out --array"));
  CHECK(error_for({"sbatch", "--ntasks-per-node=4", "a.sbatch"}) ==
        "error: there is no command `sbatch`; write into the script: #SBATCH --ntasks-per-node=4");
  CHECK(error_for({"scancel", "-t", "PENDING", "-p", "gpu"}).ends_with("leaves out -p"));
  CHECK(error_for({"squeue", "-t", "CA"}).ends_with("leaves out the states CA"));
  CHECK(error_for({"sacct", "-S", "2026-01-02"}).ends_with("leaves out -S"));
}

TEST_CASE("a signal to a job of Slurm is not answered with its end") {
  for (const std::string flag : {"--signal=USR1", "-s"}) {
    std::vector<std::string> line = {"scancel", flag};
    if (flag == "-s") line.emplace_back("USR1");
    line.emplace_back("12");
    CHECK(error_for(line) ==
          "error: there is no command `scancel`, and none that sends signals to jobs");
    CHECK(line_for(line) == "hint: name the process: trainctl exec 12 -- sh -c 'kill -USR1 PID'");
  }
}

TEST_CASE("a flag of sbatch beside a script is answered with what has its meaning there") {
  const struct {
    std::vector<std::string> typed;
    const char* line;
  } rows[] = {
      {{"a.sbatch", "-N", "2"}, "use --workers=2: the number of the script's nodes"},
      {{"a.sbatch", "--nodes=3"}, "use --workers=3: the number of the script's nodes"},
      {{"--nodes", "3", "train.sh"}, "use --workers=3: the number of the script's nodes"},
      {{"a.sbatch", "--ntasks-per-node", "4"},
       "write it into the script: #SBATCH --ntasks-per-node=4"},
      {{"a.sbatch", "-c", "4"}, "write it into the script: #SBATCH --cpus-per-task=4"},
      {{"a.sbatch", "--mem", "4G"}, "use --memory=4Gi"},
      {{"job.yaml", "--nodes=3"}, "use --workers=2: the master is one more node"},
      {{"a.sbatch", "-t", "10"}, "use --active-deadline=10m"},
      {{"-t", "1:00:00", "a.sbatch"}, "use --active-deadline=1h"},
      {{"a.sbatch", "-n", "2"},
       "write into a batch script: #SBATCH --ntasks=2; --workers=N is the number of its nodes"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> line = {"submit"};
    line.insert(line.end(), row.typed.begin(), row.typed.end());
    CAPTURE(join(line, " "));
    CHECK(line_for(line) == cat("hint: ", row.line));
  }
}

TEST_CASE("a flag for lines of the log is refused where no log is printed") {
  CommandRun run;
  CHECK(run({"submit-pytorch", "-i", "x", "--exclude=n1", "--dry-run"}) == 2);
  CHECK(run.console.stderr_text ==
        "error: --exclude leaves out lines of the log, and needs --follow\n"
        "hint: --exclude-node=NODE keeps pods off a node\n");
}

TEST_CASE("words of wandb, docker and kubectl are answered with the line to type") {
  CHECK(line_for({"diff", "11", "12"}) == "hint: trainctl compare 11 12");
  CHECK(line_for({"diff"}) == "hint: trainctl compare RUN RUN");
  CHECK(line_for({"metrics", "ddp"}) == "hint: trainctl plot ddp");
  CHECK(line_for({"prune"}) == "hint: trainctl delete --finished");
  CHECK(line_for({"nvidia-smi"}) == "hint: trainctl top --nodes");
  CHECK(line_for({"nvidia-smi", "ddp"}) == "hint: trainctl exec ddp -- nvidia-smi");
  CHECK(line_for({"sweep"}).starts_with("hint: trainctl submit-pytorch --image IMAGE --array lr="));
  CHECK(line_for({"report", "ddp", "--open"}).find("trainctl report JOB -o run.html") !=
        std::string::npos);
  CHECK(line_for({"top", "-n", "1"}).starts_with("hint: leave it out: trainctl top prints once"));
  CHECK(line_for({"submit-pytorch", "-n", "2", "-i", "x"}).starts_with("hint: write --workers=1"));
  CHECK(line_for({"exec", "live", "ls", "-la"}) == "hint: trainctl exec live -- ls -la");
  CHECK(line_for({"exec", "-it", "live", "sh"}) == "hint: trainctl exec -it live -- sh");
  CHECK(line_for({"exec", "--token=s3cret", "live", "sh"}).find("s3cret") == std::string::npos);
}

TEST_CASE("every line for a word of another program has the right flags and arguments") {
  constexpr const char* k_lines[][4] = {{"srun", "--mem=4G", "python", "x.py"},
                                        {"sbatch", "-J", "ddp", "train.sh"},
                                        {"sweep"},
                                        {"diff"},
                                        {"metrics"},
                                        {"prune"},
                                        {"nvidia-smi", "ddp"},
                                        {"sacct"},
                                        {"scancel"},
                                        {"sinfo"},
                                        {"salloc", "--gpus=1"}};
  for (const auto& words : k_lines) {
    std::vector<std::string> typed;
    for (const char* word : words) {
      if (word != nullptr) typed.emplace_back(word);
    }
    const std::string line = line_for(typed).substr(std::string_view("hint: trainctl ").size());
    CAPTURE(line);
    options::CommandLine read = *options::read_command_line(split(line, ' '));
    const cli::Command* command = all_commands().find(read.name);
    REQUIRE(command != nullptr);
    cli::ParsedCommand parsed(*command, read.typed);
    CHECK(parsed.parse().has_value());
  }
}

TEST_CASE("commands of other trainers are answered with the line to type") {
  const struct {
    std::vector<std::string> typed;
    const char* line;
  } rows[] = {
      {{"submit-dist", "pytorch"}, "hint: trainctl submit-pytorch"},
      {{"runai", "submit-dist", "tf", "--gpu", "1"}, "hint: trainctl submit-tf"},
      {{"runai", "submit-dist"}, "hint: trainctl submit-pytorch"},
      {{"runai", "training", "pytorch", "submit", "a"}, "hint: trainctl submit-pytorch"},
      {{"training", "pytorch", "submit"}, "hint: trainctl submit-pytorch"},
      {{"arena", "submit", "pytorchjob", "--gpus=1"}, "hint: trainctl submit-pytorch"},
      {{"runai", "ls"}, "hint: trainctl get"},
      {{"runai", "logs", "a"}, "hint: trainctl logs --help shows what follows it"},
      {{"submit", "pytorchjob", "--gpus", "1"}, "hint: trainctl submit-pytorch"},
      {{"submit-pytorch", "--share-memory", "2Gi"}, "hint: use --shm-size=2Gi"},
      {{"submit-pytorch", "--running-timeout", "2h"}, "hint: use --active-deadline=2h"},
      {{"submit-pytorch", "--shell", "bash"}, "hint: use -- sh -c 'LINE'"},
  };
  for (const auto& row : rows) {
    CAPTURE(join(row.typed, " "));
    CHECK(line_for(row.typed) == row.line);
  }
  CHECK(line_for({"submit-pytorch", "--gang"}).starts_with("hint: use --queue=NAME"));
}

TEST_CASE("a kind, a program or a manifest in the wrong place is answered with the line to type") {
  CHECK(line_for({"submit", "pytorch"}) == "hint: trainctl submit-pytorch");
  CHECK(line_for({"submit", "tf", "--workers=2"}).starts_with("hint: trainctl submit-tf"));
  CHECK(line_for({"submit", "train.py"}) ==
        "hint: trainctl submit-pytorch --image IMAGE -- python3 train.py");
  CHECK(line_for({"submit-pytorch", "-f", "job.yaml"}) == "hint: trainctl submit -f FILE");
  CHECK(line_for({"submit-pytorch", "job.yaml"}) == "hint: trainctl submit job.yaml");
  CHECK(line_for({"submit-tf", "train.py"}) == "hint: trainctl submit-tf -- python3 train.py");
}

}  // namespace synonyms_test
}  // namespace trainctl::testing
