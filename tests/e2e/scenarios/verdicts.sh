# A pipeline could not distinguish a failed job from a deleted one or from one that takes long, or would learn it late.
# shellcheck shell=bash

mkdir "$WORK/state"
# submit NAME CODE: a job that ends with CODE on demand.
submit() {
  run trainctl submit-pytorch --name "$1" --workers=0 --restart-policy Never -i "$BUSYBOX" --volume "$WORK/state:/state" \
    --command -- sh -c "trap 'exit 0' TERM; until [ -e /state/$1 ]; do sleep 0.1; done; exit $2"
  expect_exit 0
}
for job in 'good 0' 'bad 3' 'gone 0'; do
  # shellcheck disable=SC2086 # the words are the name and the exit status
  submit $job
done
for name in good bad gone; do await "$name runs" 60 job_is "pytorchjob/$name" Running; done

# timed NAME CMD…: runs CMD and leaves its exit status and the moment of its end, in milliseconds.
timed() {
  local code=0
  "${@:2}" >"$WORK/$1.out" 2>"$WORK/$1.err" </dev/null || code=$?
  echo "$code $((${EPOCHREALTIME/[.,]/} / 1000))" >"$WORK/$1.end"
}

# ends_with JOB CODE WORDS KUBECTL_WAIT CMD…: when CMD has happened, `wait` ends with CODE, at most a second after kubectl,
# which looks at the job by the same watch.
ends_with() {
  local job=$1 code=$2 words=$3 until=$4 pids=() status ours theirs
  shift 4
  : >"$WORK/ours.err"
  timed ours trainctl wait "$job" &
  pids+=("$!")
  timed theirs kubectl wait "--for=$until" "pytorchjob/$job" --timeout=60s &
  pids+=("$!")
  await "wait has seen $job" 30 grep -q "^$job: Running" "$WORK/ours.err"
  "$@"
  wait "${pids[@]}"
  read -r status ours <"$WORK/ours.end"
  read -r _ theirs <"$WORK/theirs.end"
  collect "$status" "$WORK/ours.out" "$WORK/ours.err"
  expect_exit "$code"
  expect_err "$words"
  ((ours <= theirs + 1000)) || fail "kubectl knew the end of $job $((ours - theirs)) ms earlier"
}

run trainctl wait gone --timeout 2s
expect_exit 7
expect_err 'still Running after 2s'
ends_with good 0 'Succeeded after' condition=Succeeded touch "$WORK/state/good"
ends_with bad 3 'master-0 exited 3' condition=Failed touch "$WORK/state/bad"
ends_with gone 10 'deleted' delete kubectl delete pytorchjob gone --wait=false
