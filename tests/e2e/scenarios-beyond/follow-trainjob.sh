# A TrainJob that kubectl made would not be followed as a job of the training operator is: lines, end, and why.
# variants: trainer
# shellcheck shell=bash disable=SC2016 # the programs read these variables

# trainjob NAME RUNTIME IMAGE PROGRAM: of two nodes, each of which runs the shell program.
trainjob() {
  kubectl create -f - >/dev/null <<END
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: $1}
spec:
  runtimeRef: {name: $2}
  trainer: {image: "$3", numNodes: 2, numProcPerNode: 1, command: [sh, -c, '$4']}
END
}
pods_gone() { [[ -z $(kubectl get pods -l "jobset.sigs.k8s.io/jobset-name=$1" -o name) ]]; }
has_pods() { ! pods_gone "$1"; }

trainjob good test-torch "$BUSYBOX" 'echo node $PET_NODE_RANK begins; sleep 3; echo node $PET_NODE_RANK ends'
run "$TRAINCTL" logs -f good --all
expect_exit 0
for node in 0 1; do
  expect_lines 1 "^\[node-$node\] node $node begins$"
  expect_lines 1 "^\[node-$node\] node $node ends$"
done
expect_err 'good: Succeeded after'
run "$TRAINCTL" wait good
expect_exit 0
run "$TRAINCTL" get good
expect_out '^good +TrainJob +Succeeded'
run "$TRAINCTL" logs good/node-1
expect_equal 'the log of node 1' "$OUT" $'node 1 begins\nnode 1 ends'

# Processes that fail are started again in their pods, and when that is given up, the pods are deleted.
trainjob bad torch-distributed "$BUSYBOX" 'echo node $PET_NODE_RANK fails; exit 3'
run "$TRAINCTL" logs -f bad --all --timeout 150s
expect_exit 3
expect_out '^\[node-[01]\] node [01] fails$'
expect_err '^node-[01] exited 3.* after [0-9]+ restarts?; its last lines:$'
expect_err '^  node [01] fails$'
expect_err '^error: job bad failed: node-[01] exited 3'
await 'the pods of the failed job are gone' 40 pods_gone bad
run "$TRAINCTL" wait bad
expect_exit 3
run "$TRAINCTL" get
expect_out '^bad +TrainJob +Failed'
expect_out '^good +TrainJob +Succeeded'

trainjob image test-torch trainctl.test/nosuch:1 'true'
run "$TRAINCTL" wait image --start-timeout 10s --on-give-up=delete
expect_exit 9
expect_err 'could not start: pod image-node-0-[01]-[a-z0-9]+: (ErrImageNeverPull|ErrImagePull|ImagePullBackOff)'
await 'the job that was given up is gone' 20 job_gone trainjob/image

# A suspended job is resumed with other pods, which a follower waits for.
trainjob paused test-torch "$BUSYBOX" 'echo begins; sleep 6; echo ends'
await 'the job has pods' 20 has_pods paused
start follower "$TRAINCTL" logs -f paused
await 'its first line is read' 30 grep -q begins "$WORK/follower.out"
kubectl patch trainjob paused --type=merge -p '{"spec": {"suspend": true}}' >/dev/null
await 'the pods of the suspended job are gone' 40 pods_gone paused
kubectl patch trainjob paused --type=merge -p '{"spec": {"suspend": false}}' >/dev/null
finish follower
expect_exit 0
expect_lines 2 '^begins$'
expect_lines 1 '^ends$'
expect_err 'paused: Suspended'

# Its name leaves no room for those of its pods: its controller says so in an event, and in nothing else.
long=a-name-of-a-job-of-more-than-forty-eight-characters
trainjob "$long" test-torch "$BUSYBOX" 'true'
run "$TRAINCTL" wait "$long" --start-timeout 8s
expect_exit 9
expect_err 'could not start: [A-Za-z]*CreationFailed: '

run "$TRAINCTL" delete good bad paused --wait
expect_exit 0
await 'the pods of the deleted jobs are gone' 20 pods_gone good
