# A job that waits in a queue would not say why, or would not be followed through preemption to its end.
# variants: both both-old-kueue
# shellcheck shell=bash

# shellcheck source=SCRIPTDIR/../queues.sh
source "$E2E/queues.sh"
make_queue

# says JOB PATTERN: the explanation has it, as soon as Kueue has decided.
says() { await "why $1 says $2" 30 explains "$@"; }
explains() { trainctl why "$1" >why.out 2>&1 && grep -qE -- "$2" why.out && (($(wc -l <why.out) <= 5)); }

# submit NAME FLAG…: a job of the API that is tried, of one pod, in the queue.
api=v1
submit() {
  local name=$1
  shift
  trainctl submit-pytorch --api="$api" --name "$name" --no-check --no-master --workers=1 -i "$BUSYBOX" --queue queue "$@"
}
# shellcheck disable=SC2016 # expanded in the pod
# Prints a number a second, and ends at once when it is stopped.
count() { printf 'trap "exit 143" TERM; i=0; while [ $i -lt %s ]; do i=$((i+1)); echo line $i; sleep 1 & wait $!; done' "$1"; }

mkdir code
count 20 >code/count.sh

for priority in low:1 high:1000; do
  kubectl create -f - >/dev/null <<END || true # another scenario's run may have made it
{apiVersion: $kueue_api, kind: WorkloadPriorityClass, metadata: {name: why-${priority%:*}}, value: ${priority#*:}}
END
done

# It waits in vain: nothing would ever change.
submit large --cpu 3 --command -- true >/dev/null 2>&1
says large 'needs 3 cpu, and flavor default-flavor has 1 at most'
submit alien --cpu 100m -g 1 --command -- true >/dev/null 2>&1
says alien 'offers no nvidia.com/gpu'
submit nowhere --queue nosuch --cpu 100m --command -- true >/dev/null 2>&1
says nowhere "LocalQueue nosuch doesn't exist"
submit unknown --cpu 100m --label kueue.x-k8s.io/priority-class=nosuch --command -- true >/dev/null 2>&1
says unknown 'has not created a Workload'
for job in large alien nowhere unknown; do trainctl delete "$job" >/dev/null; done

# Its turn comes; a job of higher priority takes its place; its follower waits and goes on with the next run.
preempted() {
  # The pods of its second run unpack the code once more.
  submit "first-$api" --cpu 0.7 --label kueue.x-k8s.io/priority-class=why-low --code code --command -- sh count.sh >/dev/null 2>&1
  start follower trainctl logs -f "first-$api"
  await 'the follower has printed a line' 60 grep -q 'line 2' "$WORK/follower.out"
  submit "second-$api" --cpu 800m --label kueue.x-k8s.io/priority-class=why-low --command -- true >/dev/null 2>&1
  says "second-$api" '(needs 800m cpu, and flavor default-flavor has 300m free|needs 500m more cpu than flavor default-flavor has free)'
  says "second-$api" 'number 1 in queue queue'
  submit "urgent-$api" --cpu 900m --label kueue.x-k8s.io/priority-class=why-high --command -- sleep 5 >/dev/null 2>&1
  says "first-$api" "preempted .*by urgent-$api"
  trainctl wait "urgent-$api" --timeout 2m >/dev/null 2>&1 || fail 'the job of higher priority did not succeed'
  finish follower
  expect_exit 0
  # Each run begins with line 1: the first was stopped somewhere, the second printed all.
  sed 's/.*line //' <<<"$OUT" | awk '$1 == 1 { ++runs; next_line = 1 } $1 != next_line++ { print "line", NR, "is", $1 }
    runs == 1 { first = $1 } END { if (runs != 2 || first < 2 || next_line != 21) print runs " runs, to " first ", to " next_line - 1 }' >lines.wrong
  [[ ! -s lines.wrong ]] || fail "the lines of the two runs: $(cat lines.wrong)"
  trainctl delete "second-$api" "first-$api" "urgent-$api" --wait >/dev/null 2>&1
}
preempted
if [[ $E2E_VARIANT == both ]]; then # Kueue 0.14 was built for an older Trainer
  api=trainer
  preempted
  api=v1
fi

# Suspended through its Workload, and resumed into its queue.
submit paused --cpu 700m --command -- sh -c "$(count 600)" >/dev/null 2>&1
await 'the job to be suspended runs' 90 job_is pytorchjob/paused Running
trainctl suspend paused
says paused 'trainctl resume paused'
trainctl resume paused 2>resume.err
await 'the resumed job runs' 90 job_is pytorchjob/paused Running
trainctl delete paused >/dev/null
