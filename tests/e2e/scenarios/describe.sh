# A user would not see on one screen why a job does not start and what happened to it, or would read about another
# environment than the program finds.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the pod's
program='echo "rank=$RANK world=$WORLD_SIZE nodes=$PET_NNODES mode=$MODE"; [ "$RANK" != 0 ] || sleep 5'
line=(submit-pytorch --name seen --workers=1 -i "$BUSYBOX" -e MODE=fast --clean-pod-policy None --command)

# Before the job is there, while its pods are, and in the program itself: the same.
trainctl "${line[@]}" --dry-run -- sh -c "$program" 2>/dev/null >"$WORK/seen.yaml"
run trainctl env -f "$WORK/seen.yaml"
expect_exit 0
expect_out '^worker-0 RANK=1$'
before=$OUT
run trainctl "${line[@]}" --follow --all -- sh -c "$program"
expect_exit 0
expect_out '^\[worker-0\] rank=1 world=2 nodes=2 mode=fast$'
run trainctl env seen
expect_exit 0
refute_err 'without a pod'
expect_equal 'the environment after submitting' "$OUT" "$before"
run trainctl env seen/worker-0
expect_out '^RANK=1$'

run trainctl describe seen
expect_exit 0
expect_out '^Phase: +Succeeded'
expect_out '^worker-0 +1 +seen-worker-0 +Succeeded +0 '
expect_out ' job +SuccessfulCreatePod +1 +Created pod: seen-worker-0$'
expect_out ' worker-0 +Started '

# A secret that is not there.
run trainctl submit-pytorch --name blocked --no-check --workers=1 -i "$BUSYBOX" --worker-env-secret TOKEN=nobody:token --command -- sleep 60
expect_exit 0
describes_it() { trainctl describe blocked | grep -Eq '^Phase: .*worker-0( has not started)?: CreateContainerConfigError: .*nobody'; }
await 'the cause is described' 60 describes_it
run trainctl describe blocked
expect_out '^Hint: +create the missing secret'
expect_out '^Sources: .*secret nobody in variable TOKEN \(worker\)'
run trainctl env blocked/worker-0
expect_out '^TOKEN=secret:nobody/token$'
run trainctl events blocked/worker-0 -o json
expect_out '"type":"Warning","subject":"worker-0",.*nobody'
refute_out '"subject":"(job|master-0)"'

# New events come by themselves until the command is ended.
start watch trainctl events blocked -w --no-headers
await 'the events so far' 20 grep -q 'Created pod: blocked-worker-0' "$WORK/watch.out"
run trainctl delete blocked
expect_exit 0
await 'the end of its pods' 60 grep -Eq 'worker-0 +Killing|job +SuccessfulDelete|master-0 +Killing' "$WORK/watch.out"
kill "$(<"$WORK/watch.pid")"
finish watch
expect_exit 143
run trainctl describe blocked
expect_exit 5
