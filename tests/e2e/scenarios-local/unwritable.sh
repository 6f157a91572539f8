# Where state cannot be kept a user would get no reason, or a cluster that forgets.
# clusters: local (a state directory that cannot be made)
# shellcheck shell=bash

echo 'a file' >"$WORK/occupied"
for place in "$WORK/occupied" /sys/nothing; do
  run env XDG_STATE_HOME="$place" trainctl submit-pytorch --local --workers=0 --follow -- true
  expect_exit 1
  expect_err "^error: .*$place"
done
run env -u HOME -u XDG_STATE_HOME trainctl get --local
expect_exit 2
expect_err 'HOME'

# Others could read the log of a training, or pose as its cluster.
mkdir -p "$WORK/open/trainctl"
chmod 777 "$WORK/open/trainctl"
run env XDG_RUNTIME_DIR="$WORK/open" trainctl get --local
((CODE != 0)) || fail 'a socket directory that is open to everybody was used'
expect_err "$WORK/open"
