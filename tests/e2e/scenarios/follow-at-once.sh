# A pipeline that submits and follows in two steps would fail whenever the pods are not there yet.
# shellcheck shell=bash

one_round() {
  trainctl submit-pytorch --name "round-$1" --workers=0 --restart-policy Never -i "$BUSYBOX" -q --command -- sh -c 'echo first line; exit 3'
  local code=0
  trainctl logs -f "round-$1" >"$WORK/round-$1.log" 2>"$WORK/round-$1.talk" || code=$?
  echo "$code" >"$WORK/round-$1.code"
}

for batch in 0 1 2 3; do
  pids=()
  for i in 1 2 3 4 5; do
    one_round "$((batch * 5 + i))" &
    pids+=("$!")
  done
  wait "${pids[@]}"
done
for i in {1..20}; do
  expect_equal "exit status of round $i" "$(<"$WORK/round-$i.code")" 3
  expect_equal "log of round $i" "$(<"$WORK/round-$i.log")" 'first line'
  grep -q 'master-0 exited 3' "$WORK/round-$i.talk" || fail "round $i does not say who failed: $(<"$WORK/round-$i.talk")"
done
