# Real distributed training would not come together: ranks that do not meet, or end with different weights.
# shellcheck shell=bash

create configmap code --from-file=ddp.py="$E2E/programs/ddp.py"
run trainctl submit-pytorch --name ddp --workers=1 -i "$TORCH" --configmap-volume name=code,path=/code \
  --follow --all --command -- python3 /code/ddp.py
expect_exit 0
expect_out "^\\[master-0\\] rank 0 of 2, master $(address ddp-master-0)\$"
expect_out "^\\[worker-0\\] rank 1 of 2, master $(address ddp-master-0)\$"

# loss RANK STEP: what that rank printed for that step.
loss() { sed -n "s/^.*rank $1 step $2 loss //p" <<<"$OUT"; }
# weights RANK: what that rank ended with.
weights() { sed -n "s/^.*rank $1 weights //p" <<<"$OUT"; }

awk -v first="$(loss 0 10)" -v last="$(loss 0 50)" 'BEGIN { exit !(last < first / 1000) }' ||
  fail "the loss went from '$(loss 0 10)' to '$(loss 0 50)'"
[[ -n $(weights 0) ]] || fail 'rank 0 printed no weights'
expect_equal 'the weights of rank 1' "$(weights 1)" "$(weights 0)"
