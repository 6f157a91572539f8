// Words that people bring from other programs are answered with the line to type.
#include "options/table/synonyms.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/command.h"
#include "cli/run_command.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace synonyms_test {

constexpr const char* k_words[] = {
    "ls",    "ps",       "jobs",  "queue",   "squeue", "status", "show",   "inspect",
    "info",  "watch",    "log",   "tail",    "follow", "rm",     "remove", "cancel",
    "kill",  "scancel",  "apply", "create",  "sbatch", "run",    "train",  "pytorch",
    "htop",  "shell",    "ssh",   "restart", "retry",  "clone",  "pull",   "download",
    "rsync", "notebook", "nodes", "gpus",    "up",     "down",   "lint",   "resubmit",
    "sinfo", "usage",    "pods"};

std::string line_for(const std::vector<std::string>& args) {
  CommandRun run;
  CHECK(run(args) == 2);
  CHECK(run.clients == 0);
  return split(run.console.stderr_text, '\n').at(1);
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
  CHECK(line_for({"run", "--", "python", "train.py", "--lr", "0.1"}) ==
        "hint: trainctl submit-pytorch --local --workers=1 --follow -- python train.py --lr 0.1");
  CHECK(line_for({"run", "train.py"}) ==
        "hint: trainctl submit-pytorch --local --workers=1 --follow -- python3 train.py");
}

TEST_CASE("a flag of another program is answered with the flag to type") {
  for (const char* flag : {"--nodes", "--nnodes"}) {
    CHECK(line_for({"submit-pytorch", flag, "4"}).starts_with("hint: use --workers=N"));
  }
  CHECK(line_for({"submit-pytorch", "--mem", "4G"}) == "hint: use --memory=16Gi");
  CHECK(line_for({"submit-pytorch", "--gres", "gpu:4"}).starts_with("hint: use -g N"));
  CHECK(line_for({"submit-pytorch", "-w", "4"}).starts_with("hint: use --workers=N"));
  CHECK(line_for({"logs", "-w", "ddp"}) == "hint: trainctl logs -f JOB");
}

TEST_CASE("what people type for other trainers is answered with the line to type") {
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
      {{"submit-pytorch", "--running-timeout", "2h"}, "hint: use --active-deadline=12h"},
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
