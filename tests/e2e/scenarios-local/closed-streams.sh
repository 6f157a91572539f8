# One whose cron or supervisor closes standard streams would lose the verdict to an abort of the event loop.
# clusters: local (any would do)
# shellcheck shell=bash

run trainctl submit-pytorch --local --name ended --wait -- true
expect_exit 0
for closed in '<&-' '2>&-' '<&- 2>&-'; do
  run bash -c "trainctl wait --local ended $closed"
  expect_exit 0
done
# What cannot be written is an error, as it is for every tool.
run bash -c 'trainctl wait --local ended >&-'
expect_exit 0
run bash -c 'trainctl get --local >&-'
expect_exit 1
expect_err 'stdout'
# So is a line of a log, though the job it is of has succeeded.
run trainctl submit-pytorch --local --name spoken --wait -- echo said
expect_exit 0
for follow in '' -f; do
  run bash -c "trainctl logs $follow --local spoken >/dev/full"
  expect_exit 1
  expect_err 'cannot write to stdout: No space left on device'
  run bash -c "trainctl logs $follow --local spoken >&-"
  expect_exit 1
  expect_err 'stdout'
done
