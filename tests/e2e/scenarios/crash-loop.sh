# A job that crashes again and again would keep its pipeline waiting for ever.
# shellcheck shell=bash

run trainctl submit-pytorch --name loop --workers=0 --restart-policy OnFailure --backoff-limit 1 -i "$BUSYBOX" \
  --follow --command -- sh -c 'echo "about to crash"; sleep 1; exit 9'
expect_exit 3
expect_out 'about to crash'
expect_err 'master-0'
expect_err '(exit|exited|code).* 9'
