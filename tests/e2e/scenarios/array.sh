# Sixty jobs of a sweep would take a loop by hand, and nobody would say which of them failed, or repeat those alone.
# shellcheck shell=bash

mkdir "$WORK/state"
# A member fails when its number ends in 7 beyond the tens (17, 37, 57), until somebody has mended that.
# shellcheck disable=SC2016 # the variables are the replica's
line=(submit-pytorch --name sweep --array 'seed=1-30' --array 'lr=1e-3,1e-4' --no-master --restart-policy Never -i "$BUSYBOX"
  --cpu 10m --volume "$WORK/state:/state" -e 'SEED={seed}')
# shellcheck disable=SC2016
program='echo "seed $SEED lr $1"; case $2 in 17|37|57) [ -e /state/mended ] || exit 4;; esac'

run trainctl "${line[@]}" --wait --junit "$WORK/sweep.xml" --result-file "$WORK/sweep.json" --timeout 6m --command -- sh -c "$program" - '{lr}' '{index}'
expect_exit 3
expect_err '^array sweep: 60 jobs, each 1 pod'
expect_err '^57 of 60 jobs succeeded; the others: sweep-17, sweep-37, sweep-57 \(to rerun: trainctl rerun sweep --failed\)$'
expect_equal 'the number of suites' "$(grep -c '<testsuite ' "$WORK/sweep.xml")" 60
expect_equal 'the number of failed verdicts' "$(grep -c '<failure message="job sweep-[135]7 failed' "$WORK/sweep.xml")" 3
expect_equal 'the reports' "$(jq -r '[.kind, (.items | length), ([.items[] | select(.verdict.exitStatus == 3)] | length)] | join(" ")' "$WORK/sweep.json")" \
  'JobReportList 60 3'

run trainctl get sweep
expect_lines 60 '^sweep-[0-9]+ +PyTorchJob +(Succeeded|Failed) '
run trainctl logs sweep-59
expect_equal 'the log of the last' "$OUT" 'seed 30 lr 1e-4'
run trainctl describe sweep
expect_exit 0
expect_lines 60 '^Job: +PyTorchJob sweep-[0-9]+ in namespace '
run trainctl events sweep
expect_exit 2
expect_err 'sweep is an array of 60 jobs'

touch "$WORK/state/mended"
run trainctl rerun sweep --failed --wait --timeout 3m
expect_exit 0
expect_err '^array sweep: 3 jobs'
expect_err '^all 3 jobs succeeded$'
run trainctl wait sweep
expect_exit 0
expect_err '^all 60 jobs succeeded$'
run trainctl rerun sweep --failed
expect_exit 0
expect_err 'nothing to run again'

run trainctl "${line[@]}" --if-exists attach --command -- sh -c "$program" - '{lr}' '{index}'
expect_exit 0
refute_out 'created'
run trainctl delete sweep --wait
expect_exit 0
expect_lines 63 'deleted$'
