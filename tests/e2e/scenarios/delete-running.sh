# A pipeline would hang, or report success, after a colleague deleted its job.
# shellcheck shell=bash

start follow trainctl submit-pytorch --name doomed --workers=1 -i "$BUSYBOX" --follow \
  --command -- sh -c 'trap "exit 0" TERM; echo training; sleep 3600 & wait'
await 'the master trains' 60 log_has doomed-master-0 training
kubectl delete pytorchjob doomed --wait=false >/dev/null
finish follow
expect_exit 10
expect_out '^training$'
expect_err 'deleted'
