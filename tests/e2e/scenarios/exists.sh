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
