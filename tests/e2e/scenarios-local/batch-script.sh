# A user of Slurm would get a false verdict of a batch script, or lose a checkpoint.
# clusters: local (runs a script as sbatch would)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the replica's
script() { printf '%s\n' "$@" >"$WORK/script.sbatch"; }
# shellcheck disable=SC2016
submit() { run trainctl submit "$WORK/script.sbatch" --local --follow --all --name "$1"; }

# Tasks that end at the same moment, in steps of all shapes.
# shellcheck disable=SC2016
script '#!/bin/bash' '#SBATCH -N 2' '#SBATCH --ntasks-per-node=2' 'for i in 1 2 3 4 5 6 7 8; do' \
  '  srun true || exit' 'done' \
  "srun bash -c 'echo all \$SLURM_PROCID of \$SLURM_NTASKS'" \
  "srun -n 3 bash -c 'echo three \$SLURM_PROCID of \$SLURM_NTASKS'" \
  "srun -W 60 --wait 30 -X -E -N 2 -n 2 bash -c 'echo two \$SLURM_PROCID of \$SLURM_NTASKS'" \
  "srun --ntasks-per-node=1 bash -c 'echo one \$SLURM_PROCID of \$SLURM_NTASKS'"
submit steps
expect_exit 0
expect_lines 2 'two [01] of 2$'
expect_lines 4 'all [0-3] of 4$'
expect_lines 3 'three [0-2] of 3$'
expect_lines 2 'one [01] of 2$'

# A step of fewer tasks than pods runs in as many pods.
script '#!/bin/bash' '#SBATCH -N 3' "srun -n 2 bash -c 'echo part \$SLURM_PROCID of \$SLURM_NTASKS'"
submit part
expect_exit 0
expect_lines 2 'part [01] of 2$'

# A task that fails ends the others.
script '#!/bin/bash' '#SBATCH -n 3' "srun bash -c '[ \$SLURM_PROCID != 1 ] || exit 7; sleep 300'"
submit fails
expect_exit 3
expect_err 'exited 7'

# The verdict is that of all nodes, whoever asks for it; a failure and the limit of time end them all.
# shellcheck disable=SC2016
script '#!/bin/bash' '#SBATCH -N 2' '[ "$SLURM_NODEID" = 0 ] || { sleep 1; exit 4; }'
submit late
expect_exit 3
run trainctl wait --local late
expect_exit 3
expect_err 'worker-1 exited 4'
# shellcheck disable=SC2016
script '#!/bin/bash' '#SBATCH -N 2' '[ "$SLURM_NODEID" = 1 ] || sleep 300' 'exit 4'
submit hangs
expect_exit 3
script '#!/bin/bash' '#SBATCH -N 2' '#SBATCH -t 0:03' \
  'trap "echo was ended; exit" TERM' 'while :; do sleep 0.1; done'
submit over
expect_exit 3
expect_err 'active for longer than 3s'
expect_lines 2 'was ended$'

script '#!/bin/bash -e' false 'echo not reached'
submit flags
expect_exit 3
refute_out 'not reached'

script '#!/bin/bash' '' 'nosuch-program'
submit numbers
expect_exit 3
expect_out 'line 3: nosuch-program'

# The program has the time to save.
script '#!/bin/bash' '#SBATCH --signal=TERM@20' \
  "srun bash -c 'trap \"echo saved; exit\" TERM; echo up; while :; do sleep 0.1; done'"
start saving trainctl submit "$WORK/script.sbatch" --local --follow --name saving
await 'the program runs' 20 grep -q up "$WORK/saving.out"
run trainctl stop --local saving
expect_exit 0
run trainctl logs --local saving
expect_out saved
