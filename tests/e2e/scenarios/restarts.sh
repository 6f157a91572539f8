# A user would see one run of a replica that was started again, or not learn that and why it was.
# shellcheck shell=bash

mkdir "$WORK/state"
# shellcheck disable=SC2016 # the variable is the pod's
program='if [ "$RANK" = 0 ]; then until [ -e /state/done ]; do sleep 0.1; done; exit 0; fi
  if [ -e /state/ran ]; then echo second run; until [ -e /state/read ]; do sleep 0.1; done; touch /state/done; exit 0; fi
  touch /state/ran; echo first run; exit 9'

run trainctl submit-pytorch --name flaky --workers=1 --restart-policy OnFailure --clean-pod-policy None -i "$BUSYBOX" \
  --volume "$WORK/state:/state" --command -- sh -c "$program"
expect_exit 0

# As on a terminal: lines and talk in one stream, in the order in which they come.
on_one_screen() { "$@" 2>&1; }
start follow on_one_screen trainctl logs -f flaky --all
# Once the second run has ended as well, the node deletes the first one's log.
await 'both runs are printed' 120 grep -q 'second run' "$WORK/follow.out"
touch "$WORK/state/read"
finish follow
expect_exit 0
expect_equal 'the two runs and what is between them' \
  "$(grep -Eo '^\[worker-0\] .*|^worker-0 exited 9; restarted' <<<"$OUT" | paste -sd '|')" \
  '[worker-0] first run|worker-0 exited 9; restarted|[worker-0] second run'
expect_out '^worker-0 was restarted 1 time( \(exited 9: .*\))?$'

# For one who comes later.
run trainctl get flaky -o json
expect_equal 'the restarts in JSON' "$(jq '.replicas[] | select(.name == "worker-0") | .restarts' <<<"$OUT")" 1
