# A job that succeeded for one command and failed for another would be restarted, or shipped, by chance.
# clusters: local (jobs last a second)
# shellcheck shell=bash

# all_say JOB STATUS PHASE: wait, get, why and the history agree.
all_say() {
  run trainctl --local wait "$1"
  expect_exit "$2"
  run trainctl --local get "$1" -o jsonpath='{.phase}'
  expect_equal "the phase of $1" "$OUT" "$3"
  run trainctl --local why "$1"
  expect_out "$3"
  expect_equal "the history of $1" \
    "$(trainctl history -o json | jq -r --arg name "$1" '.items[] | select(.name == $name) | .verdict.result')" "${3,,}"
}

# The worker crashes twice at once while rank 0 ends well.
run trainctl --local submit-pytorch --name crash --workers=1 --restart-policy OnFailure --follow -- \
  sh -c 'case $RANK in 0) sleep 2; echo trained ;; *) exit 1 ;; esac'
expect_exit 0
all_say crash 0 Succeeded

# --require-all-replicas waits for replicas that outlive the leader.
run trainctl --local submit-pytorch --name late --workers=1 --restart-policy Never --clean-pod-policy None \
  --require-all-replicas --wait --junit "$WORK/late.xml" -- \
  sh -c 'case $RANK in 0) sleep 1 ;; *) sleep 3; exit 5 ;; esac'
expect_exit 3
grep -q 'worker-0.*' "$WORK/late.xml" && grep -q '<failure' "$WORK/late.xml" || fail 'JUnit calls the worker green'
run trainctl --local wait late --require-all-replicas
expect_exit 3

# The operator never starts such a launcher again, and writes no verdict.
for code in 137 2; do
  cat >"$WORK/mpi.yaml" <<EOF
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: mpi-$code}
spec:
  runPolicy: {backoffLimit: 1}
  mpiReplicaSpecs:
    Launcher: {replicas: 1, restartPolicy: ExitCode, template: {spec: {containers: [{name: mpi, image: "x:1", command: [sh, -c, "exit $code"]}]}}}
    Worker: {replicas: 1, template: {spec: {containers: [{name: mpi, image: "x:1"}]}}}
EOF
  run trainctl --local submit -f "$WORK/mpi.yaml" --wait
  expect_exit 3
  all_say "mpi-$code" 3 Failed
done

# A request for a replica that is not there says nothing about the run.
run trainctl --local submit-pytorch --name well --follow -- true
expect_exit 0
run trainctl --local logs -f well/worker-9
expect_exit 5
run trainctl --local logs well/worker-9
expect_exit 5
expect_err 'master-0'
all_say well 0 Succeeded

# Jobs of an array that are created while others run are waited for.
start creator trainctl --local submit-pytorch --name sweep --array 't=1,2,3,4' --max-parallel 1 --wait -- sh -c 'sleep 1; echo {t}'
await 'the first job' 30 trainctl --local get sweep-0
run trainctl --local wait sweep
expect_exit 0
expect_err 'all 4 jobs succeeded'
finish creator
expect_exit 0

# Each run of a job that is stopped and resumed keeps its log.
run trainctl --local submit-pytorch --name twice --workers=0 -- sh -c 'echo "begins at $(date +%s%N)"; sleep 60'
expect_exit 0
has_begun() { [[ $(trainctl --local logs twice 2>/dev/null) == begins* && $(trainctl --local logs twice) != "${first:-none}" ]]; }
await 'its first line' 30 has_begun
first=$(trainctl --local logs twice)
run trainctl --local stop twice
expect_exit 0
run trainctl --local resume twice
expect_exit 0
await 'its line after the resume' 30 has_begun
second=$(trainctl --local logs twice)
run trainctl --local stop twice
expect_exit 0
run trainctl --local logs twice --run 1
expect_equal 'the log of the first run' "$OUT" "$first"
run trainctl --local logs twice
expect_equal 'the log of the last run' "$OUT" "$second"
run trainctl --local logs twice --run 3
expect_exit 5
