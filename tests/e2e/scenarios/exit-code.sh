# A user would have to search the pods for the exit code of a job that failed.
# shellcheck shell=bash

run trainctl submit-pytorch --name broke --workers=0 --restart-policy Never -i "$BUSYBOX" --wait --command -- sh -c 'exit 42'
expect_exit 3
run trainctl get broke
expect_exit 0
expect_out 'master-0.*42|42.*master-0'
run trainctl get broke -o json
expect_exit 0
expect_equal 'the exit code in JSON' "$(jq '.replicas[0].exitCode' <<<"$OUT")" 42
expect_equal 'the phase in JSON' "$(jq -r '.phase' <<<"$OUT")" Failed

# One who comes when it is over gets the verdict and the log, not success.
run trainctl logs -f broke
expect_exit 3
expect_err 'master-0 exited 42'
