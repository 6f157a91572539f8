# Commands that start together would start a daemon each, or lose each other's jobs.
# clusters: local (starts the daemon)
# shellcheck shell=bash

# Those of this cluster alone: their environment names its folder.
daemons() {
  local pid
  for pid in $(pgrep -f ' local serve( |$)'); do grep -zqF "$XDG_STATE_HOME" "/proc/$pid/environ" && echo "$pid"; done | wc -l
}

for i in 1 2 3 4 5 6; do
  start "at-once-$i" trainctl submit-pytorch --local --name "job-$i" --workers=0 --follow -- sh -c "echo this is $i"
done
for i in 1 2 3 4 5 6; do
  finish "at-once-$i"
  expect_exit 0
  expect_equal "the output of $i" "$OUT" "this is $i"
done
run trainctl get --local
expect_lines 6 '^job-[1-6] .*Succeeded'
expect_equal 'the number of daemons' "$(daemons)" 1
