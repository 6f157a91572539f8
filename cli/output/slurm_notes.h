// The page of `trainctl help slurm`.
#pragma once

#include <string_view>

namespace trainctl::cli {

inline constexpr std::string_view k_slurm_notes =
    "A batch script of Slurm is submitted as it is:\n"
    "\n"
    "  trainctl submit train.sbatch -i registry/ddp:1 --code . --follow\n"
    "  trainctl submit train.sbatch --local --follow -- --lr 1e-3\n"
    "  trainctl check submit train.sbatch -i registry/ddp:1\n"
    "\n"
    "Its #SBATCH lines become flags of submit-pytorch, and a notice lists them. Each node is a\n"
    "pod, which runs the whole script; srun starts the tasks of its pod. Flags behind the file "
    "win\n"
    "over the script:\n"
    "\n"
    "  with sbatch               with trainctl submit\n"
    "  --nodes 4                 --workers=4\n"
    "  --array 1-8%2             --array 1-8%2\n"
    "  --gpus-per-node 4         --gpu=4\n"
    "  --mem 64G                 --memory=64Gi\n"
    "  --time 2:00:00            --active-deadline=2h\n"
    "  --job-name ddp            --name ddp\n"
    "  --partition long          --queue=long, or --preset=long of your configuration\n"
    "  --export LR=1             --env LR=1\n"
    "  --wait                    --wait, or --follow, which prints the logs as well\n"
    "\n"
    "Other options of size, such as --ntasks-per-node, stand in the script alone.\n"
    "srun, squeue, sacct, scancel and so on are answered with the line to type.\n"
    "docs/from-slurm.md says more.\n";

}  // namespace trainctl::cli
