# A user with few rights would not learn which flag needs more than they have.
# variants: trainer
# shellcheck shell=bash

grant_trainer "$NAMESPACE"
kubectl create role trainjobs --verb=create,get,list,watch,patch,delete --resource=trainjobs.trainer.kubeflow.org >/dev/null
kubectl create rolebinding trainjobs --role=trainjobs --serviceaccount="$NAMESPACE:trainer" >/dev/null
as=(--as "system:serviceaccount:$NAMESPACE:trainer")
words=(--command -- sh -c 'echo "rank $RANK"')

# The role names no kind of v1: what the cluster does not serve is refused as not permitted.
run trainctl submit-pytorch "${as[@]}" --name ddp --workers=1 -i "$BUSYBOX" "${words[@]}"
expect_exit 0
expect_err '^the cluster does not serve PyTorchJob: submitting a TrainJob'
await 'the job is complete' 60 job_is trainjob/ddp Complete

run trainctl submit-pytorch "${as[@]}" --name never --workers=1 -i "$BUSYBOX" --restart-policy Never "${words[@]}"
expect_exit 4
expect_err 'trainingruntimes'
expect_err '^hint: .*--restart-policy'

# No rights on runtimes: a named one is left to the server.
run trainctl submit-pytorch "${as[@]}" --name named --workers=1 -i "$BUSYBOX" --runtime clustertrainingruntime/nosuch "${words[@]}"
expect_exit 6
expect_err 'denied|refused by the cluster.s admission webhook'
expect_err 'nosuch.* not found'

run trainctl submit-pytorch --name bad --workers=1 -i "$BUSYBOX" --clean-pod-policy None "${words[@]}"
expect_exit 2
expect_err '^error: .*--clean-pod-policy'
job_gone trainjob/bad || fail 'a refused line made a job'

run trainctl submit-tf --name dry --no-master --workers=2 -i "$BUSYBOX" --dry-run=server -o name "${words[@]}"
expect_exit 0
expect_out '^trainjob.trainer.kubeflow.org/dry$'
