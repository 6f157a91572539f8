# A large job would lose replicas, lines, or the daemon.
# clusters: local (a hundred processes on one machine)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the replica's
run trainctl submit-tf --local --name many --no-master --workers=100 --success-policy AllWorkers --follow --all \
  -- sh -c 'for i in 1 2 3 4 5; do echo "line $i"; done'
expect_exit 0
expect_lines 500 '^\[worker-[0-9]+\] line [1-5]$'
expect_equal 'distinct lines' "$(sort -u <<<"$OUT" | wc -l)" 500
