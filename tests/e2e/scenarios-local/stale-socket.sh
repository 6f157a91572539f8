# A socket that a machine's crash left behind would keep the embedded cluster from starting for ever.
# clusters: local (puts a dead socket where the daemon's is)
# shellcheck shell=bash

run trainctl local up
expect_exit 0
socket=$XDG_RUNTIME_DIR/trainctl/local.sock
[[ -S $socket ]] || fail "no socket at $socket"
kill -KILL "$(daemon_pid)"
[[ -S $socket ]] || fail 'the killed daemon took its socket along'
run trainctl submit-pytorch --local --name after --workers=0 --follow -- echo works
expect_exit 0
expect_out '^works$'

# What is in its place and no socket is not ours to remove.
run trainctl local down
expect_exit 0
rm -f "$socket"
mkdir "$socket"
run trainctl get --local
((CODE != 0)) || fail 'a folder was taken for a socket'
expect_err "$socket"
rmdir "$socket"
