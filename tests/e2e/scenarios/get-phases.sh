# A user who lists jobs would take a failed or stuck one for a healthy one.
# shellcheck shell=bash

# submit NAME SCRIPT FLAG…: a job of one pod.
submit() {
  run trainctl submit-pytorch --name "$1" --workers=0 --restart-policy Never -i "$BUSYBOX" "${@:3}" --command -- sh -c "$2"
  expect_exit 0
}
submit fine 'exit 0'
submit broken 'exit 5'
submit busy 'trap "exit 0" TERM; sleep 100 & wait'
submit stuck 'exit 0' --no-check --env-secret TOKEN_X=nosecret:key
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
