# A user would not learn that a job succeeded, or would miss the output of one of its replicas.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the pod's
program='echo "hello from rank $RANK of $WORLD_SIZE"
  if [ "$RANK" = 0 ]; then nc -l -p "$MASTER_PORT" </dev/null; else until echo bye | nc "$MASTER_ADDR" "$MASTER_PORT"; do sleep 0.2; done; fi'

run trainctl submit-pytorch --name ok --workers=1 -i "$BUSYBOX" --follow --all --command -- sh -c "$program"
expect_exit 0
expect_out '^\[master-0\] hello from rank 0 of 2$'
expect_out '^\[worker-0\] hello from rank 1 of 2$'
expect_lines 2 'hello from rank'
expect_err '2 pods \(master 1 \+ worker 1\)'
await 'the cluster agrees' 10 job_is pytorchjob/ok Succeeded

# Afterwards the leader's log alone is shown, without a prefix.
run trainctl logs ok
expect_exit 0
expect_out '^hello from rank 0 of 2$'
