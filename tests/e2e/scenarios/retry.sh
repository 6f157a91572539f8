# A run that lost its node would stay lost until somebody looks, and the next one would begin at the first step.
# shellcheck shell=bash

mkdir "$WORK/state"
# Each attempt goes on where the one before has stopped.
# shellcheck disable=SC2016 # the variables are the replica's
steps='n=$(cat /state/step 2>/dev/null || echo 0)
echo "attempt $TRAINCTL_ATTEMPT from ${TRAINCTL_RESUME_FROM:-the beginning}: step $n"
echo $((n + 1)) >/state/step
[ "$n" -ge 2 ] || exit 75'
line=(--workers=0 --restart-policy Never -i "$BUSYBOX" --volume "$WORK/state:/state" --timeout 4m)

run trainctl submit-pytorch --name steps "${line[@]}" --retry 3 --retry-on exit=75 --follow \
  --junit "$WORK/steps.xml" --result-file "$WORK/steps.json" --command -- sh -c "$steps"
expect_exit 0
expect_out '^attempt 1 from the beginning: step 0$'
expect_out '^attempt 2 from /state: step 1$'
expect_out '^attempt 3 from /state: step 2$'
expect_lines 3 '^attempt'
expect_equal 'the suites and failures' "$(grep -c '<testsuite ' "$WORK/steps.xml") $(grep -c '<failure' "$WORK/steps.xml")" '3 0'
expect_equal 'the report' "$(jq -r '[.attempt, .verdict.result, (.earlierAttempts | length), .earlierAttempts[0].verdict.result] | join(" ")' \
  "$WORK/steps.json")" '3 succeeded 2 failed'
run trainctl get -o name
expect_lines 3 '/steps'
# The first name has failed for good, and the attempt that succeeded counts.
run trainctl why steps
expect_out '^  and: +it was submitted again as steps-[a-z0-9]+, which has succeeded$'
run trainctl wait steps
expect_exit 0
expect_err '^steps-[a-z0-9]+ is attempt 3 at steps, and the last$'

# Another cause is not worth a second attempt.
run trainctl submit-pytorch --name wrong "${line[@]}" --retry 3 --retry-on oom,node-lost --wait --command -- sh -c 'exit 1'
expect_exit 3
expect_err 'not tried again'
run trainctl get -o name
expect_lines 1 '/wrong'

# A node that goes takes its pod with it: as the node controller says so, the pod has failed with NodeLost.
if [[ $E2E_CLUSTER == real ]]; then
  # shellcheck disable=SC2016
  waits='echo "attempt $TRAINCTL_ATTEMPT"; [ "$TRAINCTL_ATTEMPT" = 2 ] || sleep 600'
  start lost trainctl submit-pytorch --name lost "${line[@]}" --retry 1 --retry-on node-lost --follow --command -- sh -c "$waits"
  await 'the first attempt runs' 90 log_has lost-master-0 'attempt 1'
  kubectl patch pod lost-master-0 --subresource=status --type=merge \
    -p '{"status": {"phase": "Failed", "reason": "NodeLost", "message": "Node gpu-7 which was running the pod is unresponsive"}}' >/dev/null
  finish lost
  expect_exit 0
  expect_err 'lost its node'
  expect_out '^attempt 2$'
fi
