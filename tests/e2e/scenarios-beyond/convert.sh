# A job of the v1 operator, converted, would not train on a cluster that has only Trainer v2.
# variants: trainer both
# shellcheck shell=bash

convert() { trainctl convert "$@" | kubectl create -f - >/dev/null; }

log_of() { kubectl logs -l "jobset.sigs.k8s.io/jobset-name=$1,batch.kubernetes.io/job-completion-index=$2" -c node --tail=-1; }

# Real training over gloo with a plain python line, which needs MASTER_ADDR, RANK and WORLD_SIZE.
kubectl create configmap code --from-file="$E2E/programs/ddp.py" >/dev/null
convert submit-pytorch --name ddp --workers=1 -i "$TORCH" --configmap-volume name=code,path=/code --command -- python3 /code/ddp.py
await 'the DDP job is complete' 120 job_is trainjob/ddp Complete
log_of ddp 0 | grep 'rank 0 of 2' >/dev/null || fail "node 0 is not rank 0: $(log_of ddp 0)"

# A runtime of its own: a replica that may not restart fails the job at once.
convert submit-tf --name never --no-master --workers=2 -i "$BUSYBOX" --command -- \
  sh -c 'echo "$TF_CONFIG"; [ "$TRAINCTL_NODE_INDEX" = 0 ] || exit 3; sleep 60'
await 'the job has failed' 60 job_is trainjob/never Failed

convert submit-tf --name tf --no-master --workers=2 -i "$BUSYBOX" --command -- sh -c 'echo "$TF_CONFIG"'
await 'the job with TF_CONFIG is complete' 60 job_is trainjob/tf Complete
log_of tf 1 | jq -e '.task == {type: "worker", index: 1} and (.cluster.worker | length == 2)' >/dev/null ||
  fail "TF_CONFIG of node 1: $(log_of tf 1)"
log_of tf 1 | jq -e '.cluster.worker[0] == "tf-node-0-0.tf:2222"' >/dev/null || fail "TF_CONFIG: $(log_of tf 1)"
