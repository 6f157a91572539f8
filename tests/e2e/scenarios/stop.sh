# A job that is stopped for the night would take its logs with it.
# clusters: real (the embedded one keeps the logs of pods that are gone)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the pod's
run trainctl submit-pytorch --name night --workers=1 -i "$BUSYBOX" --command -- sh -c 'echo "rank $RANK was here"; sleep 600'
expect_exit 0
await 'the master prints' 90 log_has night-master-0 'was here'
await 'the worker prints' 90 log_has night-worker-0 'was here'
run trainctl stop night
expect_exit 0
expect_out 'night stopped$'
pods_are_gone() { [[ -z $(kubectl get pods -o name) ]]; }
await 'the pods are gone' 90 pods_are_gone
run trainctl logs night
expect_exit 0
expect_out 'rank 0 was here$'
expect_out 'rank 1 was here$'
expect_err 'from the history'
run trainctl stop night
expect_exit 0
expect_out 'already stopped'
run trainctl resume night
expect_exit 0
await 'it runs again' 90 log_has night-master-0 'was here'
run trainctl delete night --wait
expect_exit 0
