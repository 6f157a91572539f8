# A user who stops a job each evening would find it Failed one morning: the operator may take a dying pod for a failed one.
# clusters: real (the embedded operator keeps no pods of a run before)
# timeout: 3600
# shellcheck shell=bash

# CI runs a few; E2E_CYCLES=100 takes long.
run trainctl submit-pytorch --name nightly --workers=1 --restart-policy Never -i "$BUSYBOX" --command -- \
  sh -c 'trap "exit 143" TERM; sleep 3600 & wait'
expect_exit 0
for ((cycle = 1; cycle <= ${E2E_CYCLES:-4}; cycle++)); do
  # In every other cycle the pods have no time to start.
  if ((cycle % 2)); then
    run trainctl wait nightly --for running --timeout 5m
    expect_exit 0
  fi
  run trainctl suspend nightly
  expect_exit 0
  run trainctl resume nightly --timeout 5m
  expect_exit 0
  run trainctl get nightly -o jsonpath='{.phase}'
  expect_exit 0
  refute_out 'Failed|Succeeded'
done
run trainctl wait nightly --for running --timeout 5m
expect_exit 0
run trainctl delete nightly --wait
expect_exit 0
