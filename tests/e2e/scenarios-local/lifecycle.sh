# Suspend, resume, scale and the time to live would not do on a laptop what they do on a cluster.
# clusters: embedded (the same cluster through its socket and through kubectl)
# shellcheck shell=bash

kubectl config set-context --current --namespace=default >/dev/null

count_is() { [[ $(kubectl get pods -l "training.kubeflow.org/job-name=$1" --field-selector status.phase=Running -o name | wc -l) == "$2" ]]; }
has_no_pod() { [[ ! $(kubectl get pods -l "training.kubeflow.org/job-name=$1" -o name) ]]; }
suspend() { kubectl patch pytorchjob "$1" --type merge -p "{\"spec\":{\"runPolicy\":{\"suspend\":$2}}}" >/dev/null; }

run trainctl submit-pytorch --local --name life --workers=1 -- sh -c 'trap "exit 0" TERM; sleep 100 & wait'
expect_exit 0
await 'both replicas run' 20 count_is life 2
suspend life true
await 'the job is suspended' 10 job_is pytorchjob/life Suspended
# Resumed while a pod of the suspended run is still there, the job would be judged by how that one ended.
await 'no pod is left' 10 has_no_pod life
suspend life false
await 'both replicas run again' 20 count_is life 2
kubectl patch pytorchjob life --type merge -p '{"spec":{"pytorchReplicaSpecs":{"Worker":{"replicas":3}}}}' >/dev/null
await 'four replicas run' 20 count_is life 4
kubectl patch pytorchjob life --type merge -p '{"spec":{"pytorchReplicaSpecs":{"Worker":{"replicas":1}}}}' >/dev/null
await 'two replicas run' 20 count_is life 2

run trainctl submit-pytorch --local --name brief --workers=0 --ttl-after-finish 1s -- true
expect_exit 0
await 'the finished job is deleted' 20 job_gone pytorchjob/brief
