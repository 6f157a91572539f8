# Who follows a sweep would lose lines of one job among those of another, or the verdict of the one that failed.
# shellcheck shell=bash

readonly LINES=20000
# sweep NAME CODE: a job that prints its lines and ends with this exit code. A node that is short of time loses what a
# container prints in its last moment, so that there must be another.
sweep() {
  run trainctl submit-pytorch --name "$1" --no-master --workers=1 --backoff-limit 1 --label sweep=lr -i "$BUSYBOX" \
    --worker-restart-policy Never --command -- sh -c "i=0; while [ \$i -lt $LINES ]; do i=\$((i+1)); echo line \$i; done; sleep 2; exit $2"
  expect_exit 0
}
# All lines of a job came, whole and in order.
expect_whole() {
  expect_equal "lines of $1 in order" \
    "$(awk -v who="[$1/worker-0]" '$1 == who { n++; if ($2 != "line" || $3 != n) bad++ } END { print n, bad + 0 }' <<<"$OUT")" "$LINES 0"
}
sweep good 0
sweep bad 3

run trainctl logs -f -l sweep=lr
expect_exit 3
expect_whole good
expect_whole bad
expect_err '^bad: worker-0 exited 3'
expect_err 'job bad failed'

run trainctl logs -l sweep=lr --tail 1
expect_exit 0
expect_lines 2 "^\[(good|bad)/worker-0\] line $LINES$"
