// Tables of directives and commands, with the flags or the refusal that each becomes.
#include "slurm/translation.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "slurm/values.h"

namespace trainctl::slurm {
namespace translation_test {

// The flags as a line has them, or the error's message.
std::string flags_of(const std::string& directives, const std::string& body = "srun python x.py") {
  std::string text = "#!/bin/bash\n";
  for (const std::string& line : split(directives, ';')) text += cat("#SBATCH ", line, '\n');
  const auto script = read_script("dir/my train.sbatch", text + body + '\n');
  if (!script) return script.error().message;
  const auto made = translate(*script, {{"gpu"}, Place::partition, false, {}});
  if (!made) return made.error().message;
  std::string flags;
  for (const Flag& flag : made->flags) {
    if (flag.name == "restart-policy" || flag.name == "no-master") continue;
    flags += cat(flags.empty() ? "" : " ", flag.name, '=', join(flag.values, "+"));
  }
  return flags;
}

}  // namespace translation_test
using translation_test::flags_of;

TEST_CASE("a script gets the nodes, GPUs, CPUs and memory that Slurm would give it") {
  const std::pair<std::string, std::string> k_rows[] = {
      {"", "name=my-train workers=0"},
      {"-N 2 --gres=gpu:a100:4", "name=my-train workers=2 gpu=4"},
      {"--nodes=2-4;-G 8", "name=my-train workers=2 gpu=4"},
      {"-J A_b.C", "name=a-b-c workers=0"},
      {"--job-name='1 x'", "name=job-1-x workers=0"},
      {"-n8 --ntasks-per-node=4", "name=my-train workers=2 cpu=4"},
      {"-N2 -n 8 -c 3 --mem-per-cpu=512", "name=my-train workers=2 cpu=12 memory=6Gi"},
      {"--ntasks-per-node=4 --gpus-per-task=1 --mem-per-gpu=10G",
       "name=my-train workers=0 gpu=4 cpu=4 memory=40Gi"},
      {"--gpus-per-node=v100:2 --cpus-per-gpu=6", "name=my-train workers=0 gpu=2 cpu=12"},
      {"--gres=gpu:v100", "name=my-train workers=0 gpu=1"},
      {"--gres=nvme:1", "name=my-train workers=0"},
      {"--mem=0", "name=my-train workers=0"},
      {"--mem=64GB   # all of it", "name=my-train workers=0 memory=64Gi"},
      {"--mem=1500K", "name=my-train workers=0 memory=2Mi"},
      {"-N 2;-N 3", "name=my-train workers=3"},
      {"--cpus-per-t 2", "name=my-train workers=0 cpu=2"},
  };
  for (const auto& [directives, flags] : k_rows) {
    CAPTURE(directives);
    CHECK(flags_of(directives) == flags);
  }
}

TEST_CASE("a script's other options become the flags with their meaning") {
  const std::pair<std::string, std::string> k_rows[] = {
      {"-t 90", "active-deadline=1h30m"},
      {"-t 30:30", "active-deadline=30m30s"},
      {"-t 1:00:00", "active-deadline=1h"},
      {"-t 2-3", "active-deadline=51h"},
      {"-t 1-00:30", "active-deadline=24h30m"},
      {"-t 1-00:00:01", "active-deadline=24h1s"},
      {"-w n1", "node=n1"},
      {"-x n3", "exclude-node=n3"},
      {"--signal=B:USR1@120", "termination-grace-period=120s"},
      {"--signal=TERM", "termination-grace-period=60s"},
      {"-D /data", "working-dir=/data"},
      {"-p long,gpu", "preset=gpu"},
      {"--export=ALL,LR=1,SEED", "env=LR=1+SEED"},
      {"--container-image=nvcr.io#nvidia/pytorch:24.01-py3",
       "image=nvcr.io/nvidia/pytorch:24.01-py3"},
  };
  for (const auto& [directives, flags] : k_rows) {
    CAPTURE(directives);
    CHECK(flags_of(directives) == "name=my-train workers=0 " + flags);
  }
  CHECK(flags_of("-w n[01-02,7],m,m") == "name=my-train workers=4 node=n01+n02+n7+m+m");
  CHECK(flags_of("-N 2 -w n[1-3]") == "name=my-train workers=2 node=n1+n2+n3");
  CHECK(flags_of("--export=ALL -t UNLIMITED --mail-type=END") == "name=my-train workers=0");
}

TEST_CASE("the image of a step is the job's, unless only the script knows it") {
  CHECK(
      flags_of("", "srun --container-image ubuntu:24 -n1 a\nsrun --container-image=ubuntu:24 b") ==
      "name=my-train workers=0 image=ubuntu:24");
  CHECK(flags_of("", "srun --container-image=$IMAGE a") == "name=my-train workers=0");
  CHECK(flags_of("--container-image=/a.sqsh") == "name=my-train workers=0");
}

TEST_CASE("an array has Slurm's tasks, and no text of the script is taken for a placeholder") {
  CHECK(flags_of("-a 0-6:3") == "name=my-train-{task} array=task=0,3,6 workers=0");
  CHECK(flags_of("-a 1,5-6%2") == "name=my-train-{task} array=task=1,5-6 max-parallel=2 workers=0");
  CHECK(flags_of("-a 1-2000") == "name=my-train-{task} array=task=1-2000 workers=0");
  CHECK(flags_of("-a 08-12,20") == "name=my-train-{task} array=task=8-12,20 workers=0");
  CHECK(flags_of("-a 1", "echo ${task}").starts_with("name=my-train-{task_} array=task_=1"));
  CHECK(flags_of("-a 1", "echo ${index}").find("{index}") != std::string::npos);
  CHECK(flags_of("-a 5-1").find("no list of tasks") != std::string::npos);
}

TEST_CASE("an array whose bound cannot hold is warned about, and not one whose line waits") {
  const auto script = read_script("a.sbatch", "#!/bin/bash\n#SBATCH -a 1-9%2\nsrun a\n");
  REQUIRE(script);
  CHECK(translate(*script, {{}, Place::typed, false, {}})->warnings.size() == 1);
  CHECK(translate(*script, {{}, Place::typed, true, {}})->warnings.empty());
}

TEST_CASE("a job of several nodes succeeds with the last of them: it has no master to end it") {
  const auto flags = [](const std::string& directives, std::optional<long> workers = {}) {
    const auto script = read_script("a.sbatch", cat("#!/bin/bash\n", directives, "srun a\n"));
    std::string text;
    const auto made = translate(*script, {{}, Place::typed, false, {}, workers});
    for (const Flag& flag : made->flags) {
      if (flag.name != "name") text += cat(' ', flag.name, '=', flag.values.front());
    }
    return text;
  };
  CHECK(flags("#SBATCH -N 1\n") == " workers=0 restart-policy=Never");
  CHECK(flags("#SBATCH -N 2\n") == " workers=2 no-master=true restart-policy=Never");
  CHECK(flags("#SBATCH -N 2\n#SBATCH --requeue\n") ==
        " workers=2 no-master=true restart-policy=ExitCode");
  CHECK(flags("", 1) == " workers=1 no-master=true restart-policy=Never");
  CHECK(flags("#SBATCH -N 2\n", 0) == " workers=0 restart-policy=Never");
}

TEST_CASE("a job has no more nodes than tasks, and says so, as with Slurm") {
  const auto script = read_script("a.sbatch", "#!/bin/bash\n#SBATCH -N 3\n#SBATCH -n 2\nsrun a\n");
  const auto made = translate(*script, {});
  CHECK(made->flags.at(1).values.front() == "2");
  CHECK(made->warnings ==
        std::vector<std::string>{
            "a.sbatch:2: the job gets 2 nodes, not 3, as with Slurm: it has 2 tasks"});
  CHECK(translate(*script, {{}, Place::typed, false, {}, 3})->warnings.empty());
  CHECK(flags_of("-N 2 -n 2") == "name=my-train workers=2");
}

TEST_CASE("a line of the script that cannot make the command wait is told") {
  const auto script = read_script("a.sbatch", "#!/bin/bash\n#SBATCH --wait\nsrun a\n");
  CHECK(translate(*script, {})->warnings ==
        std::vector<std::string>{"a.sbatch:2: only the line waits: write --wait behind the FILE"});
  CHECK(translate(*script, {{}, Place::typed, true, {}})->warnings.empty());
}

TEST_CASE("options that sbatch has are known, and mail that nobody gets is no loss") {
  const auto warnings = [](const std::string& line) {
    const auto script = read_script("a.sbatch", cat("#!/bin/bash\n#SBATCH ", line, "\na\n"));
    return script ? translate(*script, {})->warnings : std::vector{script.error().message};
  };
  CHECK(warnings("--segment 2 --mail-type=NONE --mail-user=ada --comment x").empty());
  CHECK(warnings("--mail-type=END") ==
        std::vector<std::string>{
            "a.sbatch:2: --mail-type has no effect; instead: --notify=CMD with --follow"});
  CHECK(warnings("--gpus-per-socket=2") ==
        std::vector<std::string>{
            "a.sbatch:2: --gpus-per-socket has no effect; instead: -g N, for each node"});
}

TEST_CASE("the program of a step begins behind the values of srun's options") {
  const std::pair<std::string, bool> k_rows[] = {
      {"-W 60", true}, {"--wait 30", true}, {"-X", false},      {"-E", false},
      {"-Z", false},   {"-u", false},       {"-T 4", true},     {"-K", false},
      {"-I", false},   {"--x11", false},    {"--bcast", false}, {"--accel-bind g", true}};
  for (const auto& [option, takes_value] : k_rows) {
    CAPTURE(option);
    // The script's own check finds the program, and so does the shell in the pod.
    const std::string body = cat("srun ", option, " apptainer x\n");
    CHECK(flags_of("", body).find("apptainer starts") != std::string::npos);
    const auto script = read_script("a.sbatch", cat("srun ", option, " a\n"));
    const std::string prologue = translate(*script, {})->words.at(4);
    const std::string name = split_once(option, ' ').first;
    CHECK((prologue.find(cat(" | ", name, ")")) == std::string::npos) == takes_value);
  }
}

TEST_CASE("an array that is typed takes the place of the script's") {
  auto script = read_script("a.sbatch", "#!/bin/bash\n#SBATCH -a 1-9%2\nsrun a\n");
  script->directives.push_back({find_option("--array"), "1,5,7%3"});
  const auto made = translate(*script, {});
  CHECK(made->flags.at(1).values.front() == "task=1,5,7");
  CHECK(made->flags.at(2).values.front() == "3");
  CHECK(made->warnings.front().starts_with("%3 holds with --follow"));
  script->directives.back().value = "5-1";
  CHECK(translate(*script, {}).error().message == "--array 5-1: no list of tasks");
}

TEST_CASE("a typed number of workers is the script's number of nodes") {
  const auto script =
      read_script("a.sbatch", "#!/bin/bash\n#SBATCH -N 1\n#SBATCH --ntasks-per-node=2\nsrun a\n");
  CHECK(translate(*script, {{}, Place::typed, false, {}, 3})->tasks.find("6 tasks in 3 pods") !=
        std::string::npos);
}

TEST_CASE("a line says what a partition means, and --local warns that it means nothing") {
  const auto script = read_script("a.sbatch", "#!/bin/bash\n#SBATCH -p long\nsrun a\n");
  REQUIRE(script);
  CHECK_FALSE(translate(*script, {{}, Place::partition, false, {}}));
  CHECK(translate(*script, {{}, Place::typed, false, {}})->warnings.empty());
  CHECK(translate(*script, {{}, Place::this_machine, false, {}})->warnings ==
        std::vector<std::string>{"a.sbatch:2: the partition has no effect with --local"});
}

TEST_CASE("several tasks in a pod are told, since the operator's variables count pods") {
  const auto tasks_of = [](const std::string& text) {
    const auto script = read_script("a.sbatch", "#!/bin/bash\n" + text);
    return translate(*script, {{}, Place::typed, false, {}})->tasks;
  };
  CHECK(tasks_of("#SBATCH -N 2 --ntasks-per-node=2\nsrun a\n") ==
        "each srun of a.sbatch starts 4 tasks in 2 pods; RANK and WORLD_SIZE of a task count "
        "tasks, not pods");
  CHECK(tasks_of("#SBATCH -N 2 --ntasks-per-node=1\nsrun a\n").empty());
  CHECK(tasks_of("#SBATCH -N 2 --ntasks-per-node=2\ntorchrun a\n").empty());
}

TEST_CASE("a line that a pod cannot run is refused by its number") {
  const std::pair<std::string, std::string> k_rows[] = {
      {"srun a &", ":3: srun in the background"},
      {"for s in 1 2; do srun a & done", ":3: srun in the background"},
      {"echo\nsrun -N1 \\\n  ./a &\nwait", ":4: srun in the background"},
      {"srun a : b", ":3: srun starts different programs"},
      {"sbatch next.sh", ":3: a pod cannot run sbatch"},
      {"srun --mpi=pmix singularity exec x.sif a", ":3: singularity starts a container"},
      {"A=1 exec apptainer run x.sif", ":3: apptainer starts a container"},
      {"srun --container-image=a b\nsrun --container-image=c d",
       ":4: --container-image c: an earlier"},
  };
  for (const auto& [body, message] : k_rows) {
    CAPTURE(body);
    CHECK(flags_of("-N 1", body).find(message) != std::string::npos);
  }
  CHECK(flags_of("-N 2", "mpirun -n 4 ./a").find(":3: mpirun starts") != std::string::npos);
  CHECK(flags_of("-N 1", "mpirun -n 4 ./a") == "name=my-train workers=0");
  CHECK(flags_of("-N 1", "cat <<E\nsbatch x\nE\n# sbatch y\necho sbatch") ==
        "name=my-train workers=0");
}

TEST_CASE("a directive that cannot be read is refused by its line") {
  const std::pair<std::string, std::string> k_rows[] = {
      {"-J a;--nodse=2", ":3: sbatch has no option --nodse=2"},
      {"-N two", ":2: --nodes two: no number"},
      {"--gpus=many", ":2: --gpus many: no number of GPUs"},
      {"-N 2;--gpus=3", ":3: --gpus 3: 2 nodes, which are alike here, cannot share them"},
      {"--mem=1.5G", ":2: --mem 1.5G: no size"},
      {"--signal=TERM@soon", ":2: --signal TERM@soon: no seconds"},
      {"-t soon", ":2: --time soon: no duration"},
      {"-p cpu", ":2: --partition cpu: no preset"},
      {"-d afterok:7", ":2: --dependency afterok:7: it has no counterpart"},
      {"hetjob", ":2: a heterogeneous job"},
      {"-N", ":2: --nodes needs a value"},
  };
  for (const auto& [directives, message] : k_rows) {
    CAPTURE(directives);
    CHECK(flags_of(directives).find(message) != std::string::npos);
  }
}

TEST_CASE("directives end at the first command, and a commented one is none") {
  CHECK(flags_of("-N 2;# --bogus", "#comment\n##SBATCH --bogus\n\necho\n#SBATCH --bogus") ==
        "name=my-train workers=2");
}

TEST_CASE("a script that no pod could get as an argument is refused with its name") {
  CHECK(read_script("x.sh", "#!/bin/sh\necho caf\xe9\n").error().message ==
        "x.sh:2: the line is not valid UTF-8");
  CHECK(read_script("x.sh", std::string("#!/bin/sh\necho \0\n", 17)).error().message ==
        "x.sh:2: the line holds a NUL byte");
  CHECK(read_script("x.sh", "#!/bin/sh\n" + std::string(200'000, 'a')).error().message ==
        "x.sh: the script is longer than 120 KiB");
}

TEST_CASE("options of a step that have no effect are told, and those of its program are not") {
  const auto script = read_script("x.sh", "srun -N 2 --chdir /d -o o.txt a --error e\nsrun a -D\n");
  const auto made = translate(*script, {});
  REQUIRE(made);
  REQUIRE(made->warnings.size() == 2);
  CHECK(made->warnings[0].starts_with("x.sh:1: --chdir of srun has no effect"));
  CHECK(made->warnings[1].starts_with("x.sh:1: --output of srun has no effect"));
}

TEST_CASE("a script in another language is not run by a shell") {
  CHECK_FALSE(read_script("x.py", "#!/usr/bin/env python3\n#SBATCH -N 1\nprint()\n"));
  CHECK_FALSE(read_script("x.sh", "#!/usr/bin/zsh\nprint a\n"));
  CHECK(translate(*read_script("x.sh", "#!/bin/ksh\nprint a\n"), {})->warnings ==
        std::vector<std::string>{"x.sh:1: the script runs in bash, not in ksh"});
  CHECK(read_script("x.sh", "#!/usr/bin/env bash\n")->shell == "bash");
  CHECK(read_script("x.sh", "#!/bin/sh -e\n")->shell == "sh");
}

}  // namespace trainctl::slurm
