# The death of the daemon would lose a running training, its lines, or the one who follows it.
# clusters: local (kills the daemon)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the replica's
start follow trainctl submit-pytorch --local --name long --workers=1 --restart-policy Never --follow --all \
  -- sh -c 'i=0; while [ $i -lt 80 ]; do i=$((i+1)); echo "line $i"; sleep 0.1; done'
for line in 20 40 60; do
  await "line $line is there" 30 grep -q "line $line\$" "$WORK/follow.out"
  kill -KILL "$(daemon_pid)"
done
finish follow
expect_exit 0
for replica in master-0 worker-0; do
  expected=$(seq -f "[$replica] line %g" 80)
  expect_equal "the lines of $replica" "$(grep -F "[$replica]" <<<"$OUT")" "$expected"
done
run trainctl get --local long
expect_out 'Succeeded'
run trainctl logs --local long
expect_lines 80 '^line '
