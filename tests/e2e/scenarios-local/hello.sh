# A newcomer's first line, without a cluster or a kubeconfig, would not run.
# clusters: local (nothing but --local)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the replica's
run trainctl submit-pytorch --local --workers=1 --follow --all -- sh -c 'echo "hello from rank $RANK of $WORLD_SIZE"; sleep 1'
expect_exit 0
expect_lines 2 'hello from rank'
expect_out '^\[master-0\] hello from rank 0 of 2$'
expect_out '^\[worker-0\] hello from rank 1 of 2$'
expect_err 'image'

# The same later, from another command: state outlives what made it.
run trainctl get --local
expect_exit 0
expect_out '^pytorch-.* Succeeded'
