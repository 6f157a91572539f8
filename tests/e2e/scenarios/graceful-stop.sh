# What a program prints while its cancelled job stops ("checkpoint saved") would be lost.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the pod's
program='trap "sleep 1; echo checkpoint saved; exit 0" TERM; i=0; while :; do i=$((i+1)); echo "tick $i"; sleep 0.1; done'
# In the background bash would have its children ignore SIGINT.
follow() {
  start "$1" env --default-signal=INT trainctl submit-pytorch --name "$1" --workers=1 --restart-policy Never -i "$BUSYBOX" \
    --follow --all "${@:2}" --command -- sh -c "$program"
}

follow cancel --on-interrupt=cancel --save-logs "$WORK/saved"
follow late --timeout 40s --on-give-up=delete
await 'both replicas print' 60 grep -q '^\[worker-0\] tick' "$WORK/cancel.out"
await 'both replicas print' 60 grep -q '^\[master-0\] tick' "$WORK/cancel.out"
kill -INT "$(<"$WORK/cancel.pid")"
finish cancel
expect_exit 130
expect_out '^\[master-0\] checkpoint saved$'
expect_out '^\[worker-0\] checkpoint saved$'
expect_err 'job cancel was deleted \(--on-interrupt=cancel\)'
grep -q '^checkpoint saved$' "$WORK/saved/worker-0.attempt-1.log" || fail 'the saved log lacks the last line'
job_gone pytorchjob/cancel || fail 'the job still exists'

finish late
expect_exit 7
expect_out '^\[master-0\] checkpoint saved$'
expect_out '^\[worker-0\] checkpoint saved$'
job_gone pytorchjob/late || fail 'the job still exists'
