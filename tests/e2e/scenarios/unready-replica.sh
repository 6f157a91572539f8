# A replica that is not ready would cut the stream of one that is, or end the follow with success.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variable is the pod's
program='i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo step $i; sleep 1; done; exit 4'
run trainctl submit-pytorch --name mixed --no-check --workers=1 --restart-policy Never -i "$BUSYBOX" \
  --worker-env-secret TOKEN_X=nosecret:key --follow --all --start-timeout 60s --command -- sh -c "$program"
expect_exit 3
expect_lines 30 '^\[master-0\] step'
expect_err 'master-0 exited 4'
expect_err 'worker-0.*(CreateContainerConfigError|nosecret)'
