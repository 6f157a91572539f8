# A user who lists jobs would take a failed or stuck one for a healthy one.
# shellcheck shell=bash

# submit NAME IMAGE SCRIPT: a job of one pod.
submit() {
  run trainctl submit-pytorch --name "$1" --workers=0 --restart-policy Never -i "$2" --command -- sh -c "$3"
  expect_exit 0
}
submit fine "$BUSYBOX" 'exit 0'
submit broken "$BUSYBOX" 'exit 5'
submit busy "$BUSYBOX" 'trap "exit 0" TERM; sleep 100 & wait'
submit stuck trainctl.test/no-such-image:1 'exit 0'
await 'fine succeeds' 30 job_is pytorchjob/fine Succeeded
await 'broken fails' 30 job_is pytorchjob/broken Failed
await 'busy runs' 30 job_is pytorchjob/busy Running

run trainctl get
expect_exit 0
expect_out '^fine .*Succeeded'
expect_out '^broken .*Failed'
expect_out '^busy .*Running'
expect_out '^stuck '
refute_out '^stuck .*(Running|Succeeded)'

run trainctl get -o json
expect_exit 0
expect_equal 'the phase of broken' "$(jq -r '.items[] | select(.name == "broken") | .phase' <<<"$OUT")" Failed

run trainctl get nothing
expect_exit 5
