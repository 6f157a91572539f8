# A job that prints without an end would fill the disk, and neither `delete` nor `local down` would end it.
# clusters: local (needs root, for a small file system as the state directory)
# shellcheck shell=bash

((EUID == 0)) || exit 0
# shellcheck disable=SC2016 # the inner shell expands its own arguments
start holder unshare --mount --propagation private \
  sh -c 'mount -t tmpfs -o size=12m,mode=700 tmpfs "$1" && touch "$1/mounted" && exec sleep 1000' sh "$XDG_STATE_HOME"
holder=$(<"$WORK/holder.pid")
inside() { nsenter --mount="/proc/$holder/ns/mnt" "$@"; }
room() { inside stat -f -c '%a %S' "$XDG_STATE_HOME" | { read -r blocks size && echo $((blocks * size)); }; }
is_flooded() { (($(room) < (3 << 20))); }
# Other programs take what the logs leave.
# shellcheck disable=SC2016 # the inner shell expands its own arguments
fill() { inside sh -c 'cat /dev/zero >"$1/filling" 2>/dev/null || true' sh "$XDG_STATE_HOME"; }
await 'the small file system is there' 10 inside test -e "$XDG_STATE_HOME/mounted"

run inside trainctl submit-pytorch --local --name flood --workers=0 -- yes
expect_exit 0
await 'the log has taken its part of the disk' 60 is_flooded
fill
run inside trainctl submit-pytorch --local --name other --workers=0 -- echo never
((CODE != 0)) || fail 'a job was created on a full disk'
expect_err "no space left on $XDG_STATE_HOME"
start follower inside trainctl logs -f --local flood --tail 0
await 'its follower says that it is the disk' 120 grep -q "no space left on $XDG_STATE_HOME" "$WORK/follower.err"
run inside trainctl why --local flood
expect_exit 0
expect_out "no space left on $XDG_STATE_HOME"
run inside timeout 60 trainctl wait --local flood --timeout 1s
expect_exit 7
expect_err "after 1s; no space left on $XDG_STATE_HOME"
run inside timeout 60 trainctl delete --local flood --wait
expect_exit 0
finish follower
inside rm "$XDG_STATE_HOME/filling"

run inside trainctl submit-pytorch --local --name flood --workers=0 -- yes
expect_exit 0
await 'the log has taken its part again' 60 is_flooded
fill
run inside timeout 60 trainctl local down -y
expect_exit 0
run inside timeout 60 trainctl delete --local flood
expect_exit 0
run inside timeout 60 trainctl local down -y
expect_exit 0
