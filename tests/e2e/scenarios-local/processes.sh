# Replicas would live on after their job, or die with it although the user wanted them kept.
# clusters: local (looks at the machine's processes)
# shellcheck shell=bash

# alive MARK: a replica's process that has the mark among its words.
alive() { pgrep -f "^sleep $1\$" >/dev/null; }
dead() { ! alive "$1"; }

# submit POLICY MARK: the master ends soon; the worker would not.
submit() {
  # shellcheck disable=SC2016 # the variable is the replica's
  run trainctl submit-pytorch --local --name "job-$2" --workers=1 --clean-pod-policy "$1" --restart-policy Never --wait \
    -- sh -c 'if [ "$RANK" = 0 ]; then sleep 1; else exec sleep '"$2"'; fi'
  expect_exit 0
}
mark=$((100000 + RANDOM))
submit Running "$mark"
await 'Running ends the worker' 10 dead "$mark"
submit All "$((mark + 1))"
await 'All ends the worker' 10 dead "$((mark + 1))"
submit None "$((mark + 2))"
alive "$((mark + 2))" || fail 'None ended the worker'
run trainctl delete --local "job-$((mark + 2))"
expect_exit 0
await 'delete ends the worker' 40 dead "$((mark + 2))"
