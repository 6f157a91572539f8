# What a running replica printed would be lost with `local down`, and its restart would look like its first start.
# clusters: local (ends the cluster)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the replica's
program='trap "echo saved; exit 0" TERM; echo "run of $POLICY"; if [ -e "$BEEN" ]; then exit 0; fi; while :; do sleep 0.1; done'
for policy in OnFailure ExitCode Never; do
  run trainctl submit-pytorch --local --name "${policy,,}" --workers=0 --restart-policy "$policy" \
    -e POLICY="$policy" -e BEEN="$WORK/been" -- sh -c "$program"
  expect_exit 0
done
has_begun() { trainctl logs --local "${1,,}" | grep -q "run of $1"; }
for policy in OnFailure ExitCode Never; do await "$policy prints" 30 has_begun "$policy"; done

start follow trainctl logs --local -f never
await 'its follower has its line' 20 grep -q 'run of Never' "$WORK/follow.out"
run trainctl local down -y
expect_exit 0
finish follow
expect_exit 1
expect_err 'the job failed when the embedded cluster stopped, since its restart policy is Never'
refute_err 'goes on|continues|remains in the cluster'
touch "$WORK/been"

for policy in OnFailure ExitCode; do
  run trainctl logs --local -f "${policy,,}"
  expect_exit 0
  run trainctl logs --local --previous "${policy,,}"
  expect_lines 1 "^run of $policy\$"
  expect_lines 1 '^saved$'
  run trainctl get --local "${policy,,}" -o json
  expect_equal "the restarts of $policy" "$(jq '.replicas[0].restarts' <<<"$OUT")" 1
done
# Who may not run again has failed.
run trainctl logs --local -f never
expect_exit 3
expect_lines 1 '^saved$'
expect_err 'node shutdown'
