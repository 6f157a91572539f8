# The log that a user watched is gone with its job: nothing says why last night's run failed.
# clusters: local (its state is the scenario's own)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the replica's
run trainctl --local submit-pytorch --name night --workers=1 --restart-policy Never --follow --all \
  --command -- sh -c 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo "rank $RANK step $i"; done; echo "loss is NaN"; exit 4'
expect_exit 3
printed=$OUT
run trainctl --local delete night
expect_exit 0

run trainctl --local logs night
expect_exit 0
expect_err '^from the history: job night is gone; the last line that was kept is of '
expect_equal 'the kept lines' "$(sort <<<"$OUT")" "$(sort <<<"$printed")"
run trainctl --local logs night/worker-0 --tail 1
expect_equal 'the last line of worker-0' "$OUT" 'loss is NaN'

run trainctl grep 'loss.*nan' -i
expect_exit 0
expect_lines 2 '^\[[0-9]+ night/(master|worker)-0\] loss is NaN$'
run trainctl grep 'step 5000$' night
expect_lines 2 'rank [01] step 5000$'
run trainctl grep diverged
expect_exit 5

mode=$(stat -c %a "$XDG_STATE_HOME"/trainctl/logs/*)
expect_equal 'the rights of the file' "$mode" 600

# Nothing is kept where that was asked for.
run trainctl --local submit-pytorch --name secret --workers=0 --restart-policy Never --follow --no-history --command -- echo hush
expect_exit 0
run trainctl grep hush
expect_exit 5
