# A job that the cluster accepts and never runs would be found out by waiting for it; check names each reason before there is a job.
# clusters: real (the embedded one has no quotas, classes or rights)
# shellcheck shell=bash disable=SC2016 # the dollars are those of programs

made=0
# named STATUS OUTCOME WORDS FLAG…: check finds a reason with these words, and ends with this status.
named() {
  local status=$1 outcome=$2 words=$3
  shift 3
  ((++made))
  run trainctl check submit-pytorch --name checked --workers=1 -i "$BUSYBOX" -o json "$@"
  [[ $CODE == "$status" ]] || fail "exit status $CODE, expected $status: $* ($ERR)"
  jq -e --arg outcome "$outcome" --arg words "$words" \
    'any(.findings[]; .outcome == $outcome and (.subject + ": " + .message | test($words)))' <<<"$OUT" >/dev/null ||
    fail "no finding that $outcome says '$words': $* ($OUT)"
}
fails() { named "$1" fails "${@:2}"; }
may_fail() { named 0 may-fail "$@"; }

# claim NAME MODE [SPEC]
claim() {
  kubectl create -f - >/dev/null <<<"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: $1},
    spec: {accessModes: [$2], resources: {requests: {storage: 1Mi}}${3:+, $3}}}"
}

kubectl create secret generic hub --from-literal=token=t >/dev/null
kubectl create configmap settings --from-literal=rate=1 >/dev/null

# Nothing is in the way of a job that only names what is there.
run trainctl check submit-pytorch --workers=1 -i "$BUSYBOX" --env-secret T=hub:token -o json
expect_exit 0
expect_equal 'the outcome' "$(jq -r .outcome <<<"$OUT")" passes

# What pods name.
fails 5 'secret/nosecret: does not exist' --env-secret T=nosecret:token
fails 5 'secret/hub: has no key nokey' --env-secret T=hub:nokey
fails 5 'secret/nosecret: does not exist' --secret-volume name=nosecret,path=/s
fails 5 'configmap/nomap: does not exist' --configmap-volume name=nomap,path=/c
fails 5 'persistentvolumeclaim/noclaim: does not exist' --pvc noclaim:/data
fails 5 'serviceaccount/noaccount: does not exist' --service-account noaccount
fails 5 'priorityclass/noclass: does not exist' --priority-class noclass
fails 5 'runtimeclass/noruntime: does not exist' --set /spec/pytorchReplicaSpecs/Worker/template/spec/runtimeClassName=noruntime
may_fail 'secret/nopull: .*without its credentials' --image-pull-secret nopull

# Claims.
claim once ReadWriteOnce
claim pod ReadWriteOncePod
claim classless ReadWriteMany 'storageClassName: ""'
claim unclassed ReadWriteMany 'storageClassName: nosuchclass'
claim going ReadWriteMany
kubectl patch pvc going --type merge -p '{"metadata": {"finalizers": ["trainctl.test/keep"]}}' >/dev/null
kubectl delete pvc going --wait=false >/dev/null
may_fail 'claim/once: .*ReadWriteOnce.*2 replicas' --pvc once:/data
fails 6 'claim/pod: one pod at a time' --pvc pod:/data
may_fail 'claim/classless: no volume is bound' --pvc classless:/data
may_fail 'claim/unclassed: .*no storage class nosuchclass' --pvc unclassed:/data
fails 5 'claim/going: it is being deleted' --pvc going:/data
kubectl patch pvc going --type merge -p '{"metadata": {"finalizers": null}}' >/dev/null

# Nodes.
may_fail 'no node could host a master or a worker: .*no nvidia.com/gpu' -g 1
may_fail 'no node could host a master or a worker: .*no example.com/card' --extended-resource example.com/card=1
may_fail 'no node could host a master or a worker: .*of 9000Gi memory' --memory 9000Gi
may_fail 'no node could host a worker: .*of 900 cpu' --worker-cpu 900
may_fail 'no node could host a master or a worker: .*labels that do not match' --node-selector disk=none
may_fail 'the nodes could host .* of the 60 replicas' --worker-cpu 1 --workers=59

# Limits of the namespace, which the server tells for pods alone.
limits() {
  kubectl create -f - >/dev/null <<<"{apiVersion: v1, kind: $1, metadata: {name: limits}, spec: {$2}}"
}
unlimited() { kubectl delete "$1" limits >/dev/null; }
limits ResourceQuota 'hard: {pods: "1"}'
await 'the quota is counted' 60 eval '[[ $(kubectl get resourcequota limits -o jsonpath={.status.hard.pods}) == 1 ]]'
fails 6 'quota limits: the job takes 2 pods, but the namespace may use only 1'
unlimited resourcequota
limits ResourceQuota 'hard: {requests.memory: 1Gi}'
await 'the quota is counted' 60 eval '[[ $(kubectl get resourcequota limits -o jsonpath={.status.hard}) == *1Gi* ]]'
fails 6 'pod of (master|worker): .*must specify requests.memory'
fails 6 'exceeded quota: limits' --memory 2Gi
unlimited resourcequota
limits ResourceQuota 'hard: {configmaps: "100", count/pods: "0"}'
await 'the quota is counted' 60 eval '[[ $(kubectl get resourcequota limits -o jsonpath={.status.hard}) == *100* ]]'
fails 6 'quota limits: the job takes 2 count/pods, but the namespace may use only 0'
unlimited resourcequota
limits LimitRange 'limits: [{type: Container, max: {memory: 1Gi}}]'
fails 6 'pod of worker: .*maximum memory usage per Container' --memory 2Gi --memory-limit 2Gi
unlimited limitrange
limits LimitRange 'limits: [{type: Container, min: {cpu: 100m}}]'
fails 6 'pod of worker: .*minimum cpu usage per Container' --cpu 10m --cpu-limit 10m
unlimited limitrange
kubectl label namespace "$NAMESPACE" pod-security.kubernetes.io/enforce=baseline >/dev/null
fails 6 'violates PodSecurity' --host-ipc
kubectl label namespace "$NAMESPACE" pod-security.kubernetes.io/enforce- >/dev/null
fails 5 'namespaces? .*not found' -n "$NAMESPACE-nowhere"

# The program.
may_fail 'backend nccl and has no GPU' -- --backend nccl
may_fail 'backend gloo, which is slow' -g 1 -- --backend=gloo
may_fail 'starts 4 processes and has 1 GPU' -g 1 --nproc-per-node 4
may_fail 'WORLD_SIZE for the number of nodes' --nproc-per-node 2 --command -- torchrun --nnodes=\$WORLD_SIZE train.py

# The queue.
named 0 may-fail 'queue team: this cluster has no Kueue' --queue team

# The name, and rights.
trainctl submit-pytorch --name checked --workers=0 -i "$BUSYBOX" --command -- sleep 600 2>/dev/null
fails 6 'name checked: a job of this name exists'
kubectl delete pytorchjob checked >/dev/null
grant "$NAMESPACE" onlooker <<'END'
- {apiGroups: [kubeflow.org], resources: [pytorchjobs], verbs: [get, list, watch]}
END
kubeconfig_of onlooker "$NAMESPACE" onlooker.kubeconfig
fails 4 'rights: you may not create pytorchjobs' --kubeconfig onlooker.kubeconfig
grant "$NAMESPACE" blind <<'END'
- {apiGroups: [kubeflow.org], resources: [pytorchjobs], verbs: [create, get]}
END
kubeconfig_of blind "$NAMESPACE" blind.kubeconfig
named 11 may-fail 'rights: you may not get pods/log' --kubeconfig blind.kubeconfig
named 11 unchecked 'nodes: .*forbidden' --kubeconfig blind.kubeconfig
named 0 unchecked 'nodes: .*forbidden' --kubeconfig blind.kubeconfig --allow-unchecked
# With the rights that rbac prints, nothing is left out.
trainctl rbac -n "$NAMESPACE" --name "$NAMESPACE" --for check,follow --service-account blind | kubectl apply -f - >/dev/null
run trainctl check submit-pytorch --name checked --workers=1 -i "$BUSYBOX" --env-secret T=hub:token --kubeconfig blind.kubeconfig
expect_exit 0
kubectl delete clusterrole,clusterrolebinding "$NAMESPACE-$NAMESPACE" >/dev/null

# A submit stops where check fails, and creates nothing.
run trainctl submit-pytorch --name stopped -i "$BUSYBOX" --env-secret T=nosecret:token --wait
expect_exit 5
expect_err 'secret/nosecret: does not exist .*; nothing was created'
job_gone pytorchjob/stopped || fail 'a job was created'
((made >= 30)) || fail "only $made reasons"
