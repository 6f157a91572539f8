# A user would not learn which replica failed, with which exit code, and what it said last.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variable is the pod's
program='if [ "$RANK" = 0 ]; then trap "exit 0" TERM; sleep 100 & wait; fi
  echo "reading the data"; echo "data: no such file" >&2; exit 7'

run trainctl submit-pytorch --name bad --workers=1 --restart-policy Never -i "$BUSYBOX" --follow --command -- sh -c "$program"
expect_exit 3
expect_err 'worker-0'
expect_err '(exit|exited|code).* 7'
expect_err 'data: no such file'

# The verdict is the same for one who comes later.
run trainctl wait bad
expect_exit 3
expect_err 'worker-0'
