# A session's end or a cleaner would delete the socket, and a training that runs would be out of reach.
# clusters: local (deletes the daemon's socket)
# shellcheck shell=bash

run trainctl submit-pytorch --local --name long --no-master --restart-policy Never -- sh -c 'echo begun; sleep 60'
expect_exit 0
before=$(daemon_pid)
rm "$XDG_RUNTIME_DIR/trainctl/local.sock"
# The daemon opens a new one within seconds; the command waits for it, and says so.
run trainctl get --local long
expect_exit 0
expect_equal 'the daemon' "$(daemon_pid)" "$before"

start follow trainctl logs --local -f long
await 'the log is followed' 30 grep -q begun "$WORK/follow.out"
rm -r "$XDG_RUNTIME_DIR/trainctl"
await 'there is a new socket' 60 test -S "$XDG_RUNTIME_DIR/trainctl/local.sock"
run trainctl delete --local long
expect_exit 0
finish follow
expect_exit 10
