# Queues of Kueue for scenarios; sourced by those that want them.
# shellcheck shell=bash disable=SC2154 # run sets the names in capitals

# The newest version of Kueue's API that the cluster serves: Kueue 0.20 has v1beta2 alone, 0.14 v1beta1 alone.
kueue_api=kueue.x-k8s.io/$(kubectl get --raw /apis/kueue.x-k8s.io | jq -r '[.versions[].version] | max')

# make_queue [FIELD]: the LocalQueue `queue`, of 1 CPU and 1 GiB, in which `high` takes the place of `low`. Its ClusterQueue,
# which gets this field too, belongs to the namespace, so that it goes with it, and scenarios do not share one.
make_queue() {
  local owner
  owner=$(kubectl get namespace "$NAMESPACE" -o jsonpath='{.metadata.uid}')
  kubectl create -f - >/dev/null <<END
apiVersion: $kueue_api
kind: ClusterQueue
metadata:
  name: $NAMESPACE
  ownerReferences: [{apiVersion: v1, kind: Namespace, name: $NAMESPACE, uid: $owner}]
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{name: default-flavor, resources: [{name: cpu, nominalQuota: 1}, {name: memory, nominalQuota: 1Gi}]}]
  ${1:-}
---
apiVersion: $kueue_api
kind: LocalQueue
metadata: {name: queue}
spec: {clusterQueue: $NAMESPACE}
END
}

# workload_is JOB CONDITION: the workload of the job (pytorchjob/NAME, trainjob/NAME …) has this condition.
workload_is() {
  [[ $(kubectl get workloads -l "kueue.x-k8s.io/job-uid=$(job_uid "$1")" \
    -o jsonpath="{.items[0].status.conditions[?(@.type=='$2')].status}") == True ]]
}
