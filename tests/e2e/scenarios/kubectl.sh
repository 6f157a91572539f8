# One who looks at jobs and pods with kubectl, as on any cluster, would see nothing, or something else.
# clusters: real (the embedded one serves trainctl alone)
# shellcheck shell=bash

# manifest NAME SCRIPT
manifest() {
  cat <<MANIFEST
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: $1, labels: {team: red}}
spec:
  runPolicy: {cleanPodPolicy: None}
  pytorchReplicaSpecs:
    Master: &replica
      replicas: 1
      restartPolicy: Never
      template: {spec: {terminationGracePeriodSeconds: 2, containers: [{name: pytorch, image: "$BUSYBOX", command: [sh, -c, "$2"]}]}}
    Worker: *replica
MANIFEST
}
# Each ends when it has been looked at, however long that takes. In the embedded cluster they share /tmp.
# shellcheck disable=SC2016 # the variables are the replica's
manifest look 'i=0; while [ $i -lt 12 ]; do i=$((i+1)); echo line $i; done; until [ -e /tmp/'"$NAMESPACE"'.$RANK ]; do sleep 0.2; done' >job.yaml

run kubectl apply --dry-run=server -f job.yaml
expect_exit 0
expect_out '^pytorchjob\.kubeflow\.org/look created \(server dry run\)$'
job_gone pytorchjob/look || fail 'a dry run created the job'
sed 's/cleanPodPolicy: None/cleanPodPolicy: None, managedBy: nobody/' job.yaml >refused.yaml
run kubectl apply --dry-run=server -f refused.yaml
expect_exit 1
expect_err 'spec\.runPolicy\.managedBy: Unsupported value: "nobody"'
sed 's/cleanPodPolicy/cleanPodPolice/' job.yaml >unknown.yaml
run kubectl create -f unknown.yaml
expect_exit 1
expect_err 'strict decoding error: unknown field "spec\.runPolicy\.cleanPodPolice"'

run kubectl apply -f job.yaml
expect_exit 0
expect_out '^pytorchjob\.kubeflow\.org/look created$'
run kubectl apply -f job.yaml
expect_out '^pytorchjob\.kubeflow\.org/look (unchanged|configured)$'

run kubectl wait --for=condition=Running pytorchjob/look --timeout=60s
expect_exit 0
expect_out '^pytorchjob\.kubeflow\.org/look condition met$'
run kubectl wait --for=condition=Ready pod/look-worker-0 --timeout=60s
expect_exit 0

run kubectl get pytorchjobs
expect_out '^NAME +STATE +AGE$'
expect_out '^look +Running +[0-9]+s$'
run kubectl get pods
expect_out '^NAME +READY +STATUS +RESTARTS +AGE$'
expect_out '^look-master-0 +1/1 +Running +0 +[0-9]+s$'
run kubectl get pods -o wide
expect_out '^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES$'
run kubectl get pytorchjob,pods,services,events -l team=red -o name
expect_out '^pytorchjob\.kubeflow\.org/look$'
run kubectl get pods -l training.kubeflow.org/job-name=look -o jsonpath='{.items[*].metadata.name}'
expect_out 'look-master-0 look-worker-0'
run kubectl describe pytorchjob look
expect_exit 0
expect_out '^Name: +look$'
expect_out 'SuccessfulCreatePod .*Created pod: look-worker-0'
run kubectl describe pod look-master-0
expect_exit 0
expect_out '^Status: +Running$'
expect_out 'Normal +Started .*Started container pytorch'
run kubectl api-resources --api-group=kubeflow.org
expect_lines 6 'kubeflow\.org/v1'

run kubectl logs look-master-0 --tail=1 --timestamps
expect_out '^[0-9T:.-]+Z line [0-9]+$'
for replica in look-master-0 look-worker-0; do
  # shellcheck disable=SC2016 # the rank is the replica's
  run kubectl exec "$replica" -- sh -c 'touch "/tmp/$1.$RANK"' - "$NAMESPACE"
  expect_exit 0
done
run kubectl logs -f look-worker-0
expect_exit 0
expect_equal 'the log of worker-0' "$OUT" "$(seq -f 'line %g' 12)"
run kubectl wait --for=condition=Succeeded pytorchjob/look --timeout=60s
expect_exit 0
run kubectl get pod look-master-0
expect_out '^look-master-0 +0/1 +Completed '

run kubectl delete pytorchjob look
expect_exit 0
expect_out '^pytorchjob\.kubeflow\.org "look" deleted'
run kubectl wait --for=delete pod/look-master-0 --timeout=60s
expect_exit 0
run kubectl get pytorchjob look
expect_exit 1
expect_err 'Error from server \(NotFound\): pytorchjobs\.kubeflow\.org "look" not found'
run kubectl get nosuchkind
expect_exit 1
expect_err "the server doesn't have a resource type \"nosuchkind\""
