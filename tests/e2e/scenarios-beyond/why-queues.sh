# A user would not learn from why that a queue is held, broken, drained or waits for a check, and not for room.
# variants: both
# shellcheck shell=bash

# shellcheck source=SCRIPTDIR/../queues.sh
source "$E2E/queues.sh"
make_queue

owner="ownerReferences: [{apiVersion: v1, kind: Namespace, name: $NAMESPACE, uid: $(kubectl get namespace "$NAMESPACE" -o jsonpath='{.metadata.uid}')}]"
# queue NAME FLAVOR SPEC: the LocalQueue NAME of a ClusterQueue of its own, of 1 CPU.
queue() {
  kubectl create -f - >/dev/null <<END
apiVersion: $kueue_api
kind: ClusterQueue
metadata: {name: $NAMESPACE-$1, $owner}
spec:
  namespaceSelector: {}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: $2, resources: [{name: cpu, nominalQuota: 1}]}]}]
  $3
---
apiVersion: $kueue_api
kind: LocalQueue
metadata: {name: $1}
spec: {clusterQueue: $NAMESPACE-$1}
END
}
submit() { trainctl submit-pytorch --api=v1 --name "$1" --no-check --no-master --workers=1 -i "$BUSYBOX" --queue "$2" --cpu 100m --command -- sh -c 'trap "exit 143" TERM; sleep 600 & wait' >/dev/null 2>&1; }
says() { await "why $1 says $2" 30 explains "$@"; }
explains() { run trainctl why "$1" && grep -qE -- "$2" <<<"$OUT$ERR"; }
# workload_of JOB: the name of its Workload.
workload_of() { kubectl get workloads -l "kueue.x-k8s.io/job-uid=$(job_uid "pytorchjob/$1")" -o name; }

# Nobody decides on the check but the scenario.
kubectl create -f - >/dev/null <<END
apiVersion: $kueue_api
kind: AdmissionCheck
metadata: {name: $NAMESPACE, $owner}
spec: {controllerName: trainctl.test/scenario}
---
apiVersion: $kueue_api
kind: LocalQueue
metadata: {name: held}
spec: {clusterQueue: $NAMESPACE, stopPolicy: Hold}
---
apiVersion: $kueue_api
kind: LocalQueue
metadata: {name: orphan}
spec: {clusterQueue: nosuch-queue}
END
now=$(date -u +%FT%TZ)
kubectl patch "admissioncheck/$NAMESPACE" --subresource=status --type=merge \
  -p "{\"status\": {\"conditions\": [{\"type\": \"Active\", \"status\": \"True\", \"reason\": \"Active\", \"message\": \"\", \"lastTransitionTime\": \"$now\"}]}}" >/dev/null
queue broken nosuch-flavor ''
queue checked default-flavor "admissionChecksStrategy: {admissionChecks: [{name: $NAMESPACE}]}"

submit held held
submit orphan orphan
submit broken broken
submit checked checked
submit drained queue
says held 'LocalQueue held is inactive'
says orphan "ClusterQueue nosuch-queue doesn't exist"
says broken "ClusterQueue $NAMESPACE-broken is inactive"
says checked "admission check $NAMESPACE is pending"

workload=$(workload_of checked)
kubectl patch "$workload" --subresource=status --type=merge \
  -p "{\"status\": {\"admissionChecks\": [{\"name\": \"$NAMESPACE\", \"state\": \"Rejected\", \"message\": \"no money\", \"lastTransitionTime\": \"$now\"}]}}" >/dev/null
says checked 'an admission check has rejected it: ask whoever runs the check'

await 'the job to be drained runs' 90 job_is pytorchjob/drained Running
kubectl patch "clusterqueue/$NAMESPACE" --type=merge -p '{"spec": {"stopPolicy": "HoldAndDrain"}}' >/dev/null
says drained "ClusterQueue $NAMESPACE is inactive"
says drained 'it was evicted .*\(ClusterQueueStopped\)'
kubectl patch "clusterqueue/$NAMESPACE" --type=merge -p '{"spec": {"stopPolicy": "None"}}' >/dev/null
await 'the drained job runs again' 90 job_is pytorchjob/drained Running
says drained 'drained has been Running'

workload=$(workload_of held)
kubectl patch "$workload" --type=merge -p '{"spec": {"active": false}}' >/dev/null
says held 'put it back into the queue: trainctl resume held'
