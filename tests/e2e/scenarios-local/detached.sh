# One who submits and comes back later would find neither the log nor the verdict.
# clusters: local (nothing but --local)
# shellcheck shell=bash

submit() {
  local name=$1
  shift
  run trainctl submit-pytorch --local --name "$name" --workers=0 --restart-policy Never "$@"
  expect_exit 0
}
# shellcheck disable=SC2016 # the variable is the replica's
submit good -- sh -c 'for i in 1 2 3; do echo "step $i"; sleep 0.3; done'
run trainctl logs --local -f good
expect_exit 0
expect_equal 'the log of good' "$OUT" $'step 1\nstep 2\nstep 3'

submit bad -- sh -c 'echo "about to fail"; exit 7'
run trainctl logs --local -f bad
expect_exit 3
expect_out '^about to fail$'
expect_err 'master-0 exited 7'
run trainctl wait --local bad
expect_exit 3

submit missing -- /no-such-program --flag
run trainctl wait --local missing --start-timeout 5s
expect_exit 9
expect_err 'no-such-program'

run trainctl logs --local nothing
expect_exit 5
run trainctl delete --local good bad missing
expect_exit 0
run trainctl get --local -o name
expect_equal 'the jobs left' "$OUT" ''
