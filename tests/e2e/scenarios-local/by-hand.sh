# One who starts and ends the embedded cluster by hand would not know how it stands, or leave processes.
# clusters: local (up, status, down)
# shellcheck shell=bash

run trainctl local status
expect_exit 5
expect_err 'is not running'
run trainctl local up
expect_exit 0
expect_equal 'the output of up' "$OUT" ''
run trainctl local up
expect_exit 0
run trainctl local status
expect_exit 0
expect_out "$(daemon_pid)"
# HOME chooses where a cluster keeps its files when it starts, not which one serves this user.
mkdir -p "$WORK/another"
run env HOME="$WORK/another" XDG_STATE_HOME= trainctl local status
expect_exit 0
expect_out "$(daemon_pid)"
run trainctl submit-pytorch --local --name running --workers=1 -- sleep 1000
expect_exit 0
run trainctl local down
expect_exit 0
run trainctl local down
expect_exit 0
