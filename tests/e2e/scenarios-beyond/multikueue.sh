# With MultiKueue the pods, the lines and the reason of a failure would be sought where the job was submitted, and not found.
# variants: multikueue
# shellcheck shell=bash disable=SC2016 # the job's shell expands the variables

# shellcheck source=SCRIPTDIR/../queues.sh
source "$E2E/queues.sh"

kubectl config use-context trainctl-e2e >/dev/null
make_queue
kubectl config use-context trainctl-e2e-manager >/dev/null
make_queue 'admissionChecksStrategy: {admissionChecks: [{name: multikueue}]}'

at_worker() { kubectl --context=trainctl-e2e "$@"; }
gone_at_worker() { ! at_worker get "$1"; }

# submit NAME PROGRAM WORD…: a job of one pod that waits in the queue.
submit() { run trainctl submit-pytorch --name "$1" --no-master --workers=1 -i "$BUSYBOX" --queue queue --cpu 100m "${@:3}" --command -- sh -c "$2"; }

# With no context for the worker cluster, each command says which line is missing.
submit stays 'trap "exit 143" TERM; echo "begun in $HOSTNAME"; sleep 600 & wait' --api=v1
expect_exit 0
await 'the job runs' 60 job_is pytorchjob/stays Running
expect_equal 'the pods at the manager' "$(kubectl get pods -o name)" ''
run trainctl logs stays
expect_exit 2
expect_err '^error: job stays runs on cluster worker1, and no context is known for it$'
expect_err '^hint: .*multikueue: \{contexts: \{worker1: CONTEXT\}\}$'
run trainctl why stays
expect_exit 0
expect_err 'job stays runs on cluster worker1, and no context is known for it'

mkdir -p "$XDG_CONFIG_HOME/trainctl"
echo 'multikueue: {contexts: {worker1: trainctl-e2e}}' >"$XDG_CONFIG_HOME/trainctl/config.yaml"

# The commands that need the pods of a running job.
pod=$(at_worker get pods -o name)
run trainctl logs stays
expect_exit 0
expect_equal 'the log' "$OUT" "begun in ${pod#pod/}"
run trainctl exec stays -- hostname
expect_exit 0
expect_equal 'the name of the pod' "$OUT" "${pod#pod/}"
run trainctl why stays
expect_out 'it runs on cluster worker1'
refute_err .
run trainctl describe stays
expect_out '^Cluster: +worker1$'
expect_out "${pod#pod/}"
run trainctl env stays
expect_exit 0
expect_out '^worker-0 WORLD_SIZE=1'
run trainctl top stays
expect_exit 0
expect_out "${pod#pod/}|worker-0"
echo there >"$WORK/there"
run trainctl cp "$WORK/there" stays:/tmp/there
expect_exit 0
run trainctl cp stays:/tmp/there "$WORK/back"
expect_exit 0
expect_equal 'the copied file' "$(<"$WORK/back")" there
start followed trainctl logs -f stays
await 'the line is printed' 60 grep -q begun "$WORK/followed.out"
kill -TERM "$(<"$WORK/followed.pid")"
finish followed
expect_exit 143
expect_equal 'the followed log' "$OUT" "begun in ${pod#pod/}"
run trainctl delete stays --yes
expect_exit 0
await 'the copy of the deleted job is gone' 60 gone_at_worker pytorchjob/stays

# followed NAME REPLICA WORD…: jobs that succeed and fail, from the submit to the verdict.
followed() {
  submit "$1-good" 'echo one; sleep 2; echo two' --follow "${@:3}"
  expect_exit 0
  expect_equal "the lines of $1-good" "$OUT" $'one\ntwo'
  expect_err "^$1-good: Succeeded after"
  submit "$1-bad" 'echo one; sleep 2; exit 7' --follow "${@:3}"
  expect_exit 3
  expect_equal "the lines of $1-bad" "$OUT" one
  expect_err "^error: job $1-bad failed: $2 exited 7$"
}
followed operator worker-0 --api=v1 --restart-policy Never
followed trainer node-0 --api=trainer --runtime test-torch

# A runtime of the job's own stays behind, and the worker cluster refuses the job without it.
submit behind true --api=trainer --restart-policy Never
expect_exit 0
expect_err '^warning: MultiKueue copies the job alone to its worker cluster, where trainingruntime/behind must exist as well$'
