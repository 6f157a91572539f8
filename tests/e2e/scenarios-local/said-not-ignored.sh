# A namespace of the user's configuration would fail on a laptop, and other GPUs than asked for go unnoticed.
# clusters: local (only the embedded one takes these flags)
# shellcheck shell=bash

run trainctl submit-pytorch --local --local-gpus 0 -n ml --name first --workers=0 --follow -- echo there
expect_exit 0
expect_out '^there$'
run trainctl submit-pytorch --local --local-gpus 2 -n ml --name second --workers=0 --follow -- echo again
expect_exit 0
expect_err 'is already running, with 0 GPUs: --local-gpus=2'
run trainctl get --local --local-gpus 0 -n ml
expect_exit 0
expect_out 'first'
[[ $ERR != *GPU* ]] || fail "a warning without a reason: $ERR"
