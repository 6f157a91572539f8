# A person at a terminal would not see how far the training is, how good, and what the GPU does; later nobody would know the curve.
# clusters: local (counts GPUs this machine need not have)
# shellcheck shell=bash

mkdir -p "$WORK/bin"
printf '#!/bin/sh\necho "91, 34816, 81920"\n' >"$WORK/bin/nvidia-smi"
chmod +x "$WORK/bin/nvidia-smi"
# shellcheck disable=SC2016 # the variable is the replica's
cat >"$WORK/train.sh" <<'SCRIPT'
step=0
while [ "$step" -lt 40 ]; do
  step=$((step + 1))
  echo "step $step/40 loss 0.$((99 - step)) lr 0.001"
  sleep 0.1
done
SCRIPT
PATH=$WORK/bin:$PATH run script -qec "stty cols 90 rows 24; trainctl submit-pytorch --local --local-gpus 1 --name curve --workers 0 -g 1 --follow -- sh $WORK/train.sh" /dev/null
expect_exit 0
expect_out 'curve.*Running.*█.*/40.*it/s'
expect_out 'loss 0\.[0-9]*.*best 0\.[0-9]* @'
expect_out 'GPU 91 %, 34 of 80 GiB'
expect_out 'curve: 40/40.*loss 0.59 .best 0.59 at 40.'

# In a pipe it is one line at the end, and the history keeps the curve.
run trainctl submit-pytorch --local --name piped --workers 0 --follow --result-file "$WORK/result.json" -- sh "$WORK/train.sh"
expect_exit 0
expect_err '^piped: 40/40.*loss 0.59'
refute_err '█'
expect_equal 'steps in the report' "$(jq .metrics.step "$WORK/result.json")" 40
run trainctl history
expect_out 'piped .*loss 0.59 .best 0.59 at 40.'
