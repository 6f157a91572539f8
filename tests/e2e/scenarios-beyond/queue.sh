# A queued PyTorchJob or TrainJob would not be admitted by Kueue, or would not wait for its turn.
# variants: both both-old-kueue
# shellcheck shell=bash

# shellcheck source=SCRIPTDIR/../queues.sh
source "$E2E/queues.sh"
make_queue

# pytorchjob NAME SECONDS: a queued job of 700 millicores, of which the queue takes one at a time.
pytorchjob() {
  kubectl create -f - >/dev/null <<END
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: $1, labels: {kueue.x-k8s.io/queue-name: queue}}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          terminationGracePeriodSeconds: 1
          containers: [{name: pytorch, image: "$BUSYBOX", command: [sleep, "$2"], resources: {requests: {cpu: 700m}}}]
END
}

pytorchjob first 10
await 'the first job is admitted' 20 workload_is pytorchjob/first Admitted
kubectl create -f - >/dev/null <<END
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: second, labels: {kueue.x-k8s.io/queue-name: queue}}
spec:
  runtimeRef: {name: test-torch}
  trainer:
    image: $BUSYBOX
    numNodes: 2
    numProcPerNode: 1
    resourcesPerNode: {requests: {cpu: 350m}}
    command: [sleep, "1"]
END

# Its position in the queue, counted from 0, by Kueue's own API.
second_waits() {
  [[ $(kubectl get --raw "/apis/visibility.$kueue_api/namespaces/$NAMESPACE/localqueues/queue/pendingworkloads" |
    jq -r '.items[] | "\(.metadata.ownerReferences[0].name) \(.positionInLocalQueue)"') == 'second 0' ]]
}
await 'the second job waits at position 0' 20 second_waits
[[ $(kubectl get trainjob/second -o jsonpath='{.spec.suspend}') == true ]] || fail 'the second job did not wait'

await 'the first job succeeded' 40 job_is pytorchjob/first Succeeded
await 'the second job is complete' 60 job_is trainjob/second Complete
for job in pytorchjob/first trainjob/second; do await "the workload of $job is finished" 10 workload_is "$job" Finished; done
