# A user would lose the last lines of workers that the operator stops when the master is done.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the pod's
program='if [ "$RANK" = 0 ]; then nc -l -p "$MASTER_PORT" </dev/null; exit 0; fi
  trap "echo worker stopped; exit 0" TERM
  until echo bye | nc "$MASTER_ADDR" "$MASTER_PORT"; do sleep 0.2; done
  i=0; while :; do i=$((i+1)); echo "tick $i"; sleep 0.1; done'

run trainctl submit-pytorch --name early --workers=1 -i "$BUSYBOX" --follow --all --command -- sh -c "$program"
expect_exit 0
expect_out '^\[worker-0\] tick 1$'
expect_out '^\[worker-0\] worker stopped$'
expect_err 'worker-0 exited 0 as clean-up deleted its pod'
ticks=$(grep -c 'tick' <<<"$OUT")
expect_out "tick $ticks\$"
