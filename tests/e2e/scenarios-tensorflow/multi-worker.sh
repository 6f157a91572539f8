# Real TensorFlow training would not come together: workers that do not meet, or end with different weights.
# shellcheck shell=bash

create configmap code --from-file=multi_worker.py="$E2E/programs/multi_worker.py"
run trainctl submit-tf --name tf --workers=2 --no-master -i "$TENSORFLOW" --configmap-volume name=code,path=/code \
  --follow --all --command -- python3 /code/multi_worker.py
expect_exit 0
expect_out '^\[worker-0\] worker 0 of 2$'
expect_out '^\[worker-1\] worker 1 of 2$'

# loss WORKER EPOCH: what that worker printed for that epoch.
loss() { sed -n "s/^\[worker-$1\] worker $1 epoch $2 loss //p" <<<"$OUT"; }
# weights WORKER: what that worker ended with.
weights() { sed -n "s/^\[worker-$1\] worker $1 weights //p" <<<"$OUT"; }

awk -v first="$(loss 0 1)" -v last="$(loss 0 5)" 'BEGIN { exit !(last > 0 && last < first / 1000) }' ||
  fail "the loss went from '$(loss 0 1)' to '$(loss 0 5)'"
[[ -n $(weights 0) ]] || fail 'worker 0 printed no weights'
expect_equal 'the loss of worker 1' "$(loss 1 5)" "$(loss 0 5)"
expect_equal 'the weights of worker 1' "$(weights 1)" "$(weights 0)"
