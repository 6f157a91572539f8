# On a full disk jobs or lines would vanish without a word, or the cluster would never recover.
# clusters: local (needs root, for a small file system as the state directory)
# shellcheck shell=bash

((EUID == 0)) || exit 0
# The file system is seen by this process and those that enter its mount namespace, and goes with them.
# shellcheck disable=SC2016 # the inner shell expands its own arguments
start holder unshare --mount --propagation private \
  sh -c 'mount -t tmpfs -o size=8m,mode=700 tmpfs "$1" && touch "$1/mounted" && exec sleep 1000' sh "$XDG_STATE_HOME"
holder=$(<"$WORK/holder.pid")
inside() { nsenter --mount="/proc/$holder/ns/mnt" "$@"; }
await 'the small file system is there' 10 inside test -e "$XDG_STATE_HOME/mounted"

run inside trainctl submit-pytorch --local --name before --workers=0 --follow -- echo fine
expect_exit 0
# shellcheck disable=SC2016 # the inner shell expands its own arguments
inside sh -c 'cat /dev/zero >"$1/filling" 2>/dev/null || true' sh "$XDG_STATE_HOME"
run inside trainctl submit-pytorch --local --name during --workers=0 --follow --timeout 10s --command -- sh -c 'echo "more than fits"; sleep 1'
((CODE != 0)) || fail 'a job ran on a full disk'
expect_err 'full|[Nn]o space|ENOSPC'
run inside trainctl get --local before
expect_exit 0
expect_out 'Succeeded'

inside rm "$XDG_STATE_HOME/filling"
run inside trainctl submit-pytorch --local --name after --workers=0 --follow -- echo 'fine again'
expect_exit 0
expect_out '^fine again$'
run inside trainctl local down
expect_exit 0
