# The seeds' lines would not train, or not tell, on a cluster that has Trainer v2 alone.
# variants: trainer
# shellcheck shell=bash

no_pods_of() { [[ ! $(kubectl get pods -l "jobset.sigs.k8s.io/jobset-name=$1" -o name) ]]; }

# Real training over gloo with a plain python line, which needs MASTER_ADDR, RANK and WORLD_SIZE.
kubectl create configmap code --from-file="$E2E/programs/ddp.py" >/dev/null
run trainctl submit-pytorch --name ddp --workers=1 -g 0 -i "$TORCH" --configmap-volume name=code,path=/code --follow --all --command -- python3 /code/ddp.py
expect_exit 0
expect_err '^the cluster does not serve PyTorchJob: submitting a TrainJob of Kubeflow Trainer$'
expect_out 'rank 0 of 2, master ddp-node-0-0\.ddp'
expect_out 'rank 1 of 2'

# TFJob has no runtime of Trainer's: the job brings one, which goes with it.
run trainctl submit-tf --name tf --no-master --workers=2 -i "$BUSYBOX" --wait --command -- sh -c 'echo "$TF_CONFIG"'
expect_exit 0
expect_err '2 pods \(node 2\), no GPUs, with trainingruntime/tf|submitting a TrainJob'
run trainctl logs tf/node-1
jq -e '.task == {type: "worker", index: 1} and (.cluster.worker | length == 2)' <<<"$OUT" >/dev/null || fail "TF_CONFIG of node 1: $OUT"
kubectl get trainingruntime tf >/dev/null
run trainctl delete tf --yes
expect_exit 0
await 'the runtime went with its job' 30 job_gone trainingruntime/tf

# A replica that may not restart fails the job at once, and the pods that still ran are deleted.
run trainctl submit-pytorch --name bad --workers=1 -i "$BUSYBOX" --restart-policy Never --follow --command -- \
  sh -c 'trap "exit 143" TERM; echo "rank $RANK"; [ "$RANK" = 0 ] || { sleep 2; echo broken; exit 7; }; sleep 60 & wait'
expect_exit 3
expect_equal 'the log of node 0' "$OUT" 'rank 0'
expect_err '^node-1 exited 7; its last lines:$'
expect_err '^  broken$'
expect_err '^error: job bad failed: node-1 exited 7$'

# Where it may restart, all pods are deleted at the end: what is told is kept from before.
run trainctl submit-pytorch --name worse --no-master -i "$BUSYBOX" --backoff-limit 1 --follow --command -- sh -c 'echo "begun"; exit 5'
expect_exit 3
expect_err 'node-0 exited 5'
await 'the pods are gone' 30 no_pods_of worse

run trainctl submit-pytorch --name noimage --workers=1 -i trainctl.test/nosuch:1 --follow --start-timeout 10s
expect_exit 9
expect_err 'trainctl.test/nosuch:1'
