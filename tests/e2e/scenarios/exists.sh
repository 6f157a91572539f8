# A pipeline that runs twice would create a job twice, lose a running one, or fail without saying why.
# shellcheck shell=bash

# submit FLAG…: the same job each time; it ends well after some seconds.
submit() {
  run trainctl submit-pytorch --name twice --workers=0 -i "$BUSYBOX" "$@" --command -- sh -c 'echo working; sleep 3'
}
submit
expect_exit 0
first=$(job_uid pytorchjob/twice)

submit
expect_exit 6
expect_err 'already exists'
expect_err '--if-exists'

submit --if-exists=skip
expect_exit 0
expect_equal 'the job after skip' "$(job_uid pytorchjob/twice)" "$first"

submit --if-exists=attach --follow
expect_exit 0
expect_out '^working$'
expect_equal 'the job after attach' "$(job_uid pytorchjob/twice)" "$first"

submit --if-exists=replace --follow
expect_exit 0
expect_lines 1 '^working$'
[[ $(job_uid pytorchjob/twice) != "$first" ]] || fail 'replace kept the old job'

# A job of another kind is accepted under the same name, and its pods would be waited for in vain.
run trainctl submit-pytorch --name kinds --no-master --workers=1 -i "$BUSYBOX" --command -- sleep 60
expect_exit 0
await 'the pod is there' 30 kubectl get pod kinds-worker-0
tensorflow() { run trainctl submit-tf --name kinds --no-master --workers=1 -i "$BUSYBOX" "$@" --command -- true; }
tensorflow --dry-run=server
expect_exit 6
expect_err "pod kinds-worker-0 already exists: it belongs to pytorchjob kinds"
tensorflow --wait --start-timeout 5s
expect_exit 9
expect_err "pod kinds-worker-0 already exists: it belongs to pytorchjob kinds"
expect_err 'hint: trainctl delete pytorch/kinds'
run trainctl get tf/kinds
expect_out 'it belongs to pytorchjob kinds'
run trainctl delete pytorch/kinds tf/kinds
expect_exit 0
