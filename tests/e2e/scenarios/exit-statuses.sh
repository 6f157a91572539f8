# A script could not see from the exit status what has happened: each one of the contract that no other scenario shows.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the pod's
ticks='trap "exit 0" TERM; i=0; while :; do i=$((i+1)); echo "tick $i"; sleep 0.1; done'
# submit NAME SCRIPT FLAG…: a job of one pod.
submit() {
  run trainctl submit-pytorch --name "$1" --workers=0 --restart-policy Never -i "$BUSYBOX" "${@:3}" --command -- sh -c "$2"
}
# In the background bash would have its children ignore SIGINT.
interruptible() { start "$1" env --default-signal=INT trainctl "${@:2}"; }
# signalled NAME SIGNAL: the command started as NAME ends by SIGNAL, once it has shown a line.
signalled() {
  await "$1 follows" 60 grep -q '^tick' "$WORK/$1.out"
  kill "-$2" "$(<"$WORK/$1.pid")"
  finish "$1"
}

submit fine 'exit 0' --wait
expect_exit 0
submit busy "$ticks"
expect_exit 0

# 1: what is no fault of cluster or job.
nowhere() { "$@" >/dev/full; }
run nowhere trainctl get fine
expect_exit 1
expect_err 'cannot write to stdout: No space left on device'
run trainctl wait fine --for=failed
expect_exit 1

# 2: a kubeconfig that does not hold what is asked for.
run trainctl get --context nosuch
expect_exit 2
expect_err 'nosuch'

# 4: a token that nobody knows. The embedded cluster knows no tokens.
if [[ $E2E_CLUSTER == real ]]; then
  kubeconfig_with '.users[0].user = {token: "nobody"}' "$NAMESPACE" wrong.kubeconfig
  run trainctl get --kubeconfig "$PWD/wrong.kubeconfig"
  expect_exit 4
fi

# 8: nobody listens on port 1.
run trainctl get --server https://127.0.0.1:1 --request-timeout 1s
expect_exit 8
expect_err 'cannot reach 127\.0\.0\.1:1: connection refused'

# 130, 143, 129, 141: whoever follows may leave; the job goes on.
interruptible left logs -f busy
signalled left INT
expect_exit 130
expect_err 'follow the job again: trainctl logs -f busy'
interruptible ended logs -f busy
signalled ended TERM
expect_exit 143
interruptible closed logs -f busy --result-file closed.json
signalled closed HUP
expect_exit 129
expect_equal 'the verdict' "$(jq -r .verdict.result closed.json)" hung-up
first_line() { "$@" | head -n 1; }
run first_line trainctl logs -f busy
expect_exit 141
expect_err 'the job continues; follow it again: trainctl logs -f busy'
expect_equal 'the first line' "$OUT" 'tick 1'
await 'busy still runs' 10 job_is pytorchjob/busy Running

# 10: somebody else suspends it.
start suspended trainctl logs -f busy
await 'the log is followed' 60 grep -q '^tick' "$WORK/suspended.out"
kubectl patch pytorchjob busy --type=merge -p '{"spec": {"runPolicy": {"suspend": true}}}' >/dev/null
finish suspended
expect_exit 10
expect_err 'suspended'

# 130 and 7, when the job is not to outlive them.
interruptible cancelled submit-pytorch --name cancel --workers=0 -i "$BUSYBOX" --follow --on-interrupt=cancel --command -- sh -c "$ticks"
signalled cancelled INT
expect_exit 130
job_gone pytorchjob/cancel || fail 'the job still exists'
submit late "$ticks" --wait --timeout 2s --on-give-up=delete
expect_exit 7
job_gone pytorchjob/late || fail 'the job still exists'
