# A daemon that hangs would leave whoever asks for it, or ends it, before a silent terminal.
# clusters: local (stops the daemon for a time)
# shellcheck shell=bash

run trainctl local up
expect_exit 0
pid=$(daemon_pid)
kill -STOP "$pid"
start status trainctl local status
start down trainctl local down -y
await 'status says what it waits for' 60 grep -q "waiting for the embedded cluster (process $pid) to answer" "$WORK/status.err"
await 'down says it, too' 60 grep -q "waiting for the embedded cluster (process $pid) to end" "$WORK/down.err"
kill -CONT "$pid"
finish status
finish down
expect_exit 0
expect_err 'the embedded cluster has stopped'
