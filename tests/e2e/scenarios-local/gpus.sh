# More replicas than GPUs would share one, or a user would not learn what the last one waits for.
# clusters: local (counts GPUs this machine need not have)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variables are the replica's
start follow trainctl submit-pytorch --local --local-gpus 2 --name gpus --workers=2 -g 1 --follow --all --start-timeout 60s \
  -- sh -c 'echo "rank $RANK has GPU <$CUDA_VISIBLE_DEVICES>"; if [ "$RANK" = 0 ]; then sleep 6; fi; sleep 1'
await 'the third one waits' 20 grep -Eq 'worker-[01].*Insufficient nvidia.com/gpu' "$WORK/follow.err"
finish follow
expect_exit 0
expect_lines 3 'has GPU <[01]>$'
expect_equal 'GPUs of the first two' "$(sed -n 's/.*has GPU <\(.\)>$/\1/p' <<<"$OUT" | head -n 2 | sort | tr -d '\n')" 01

# More than there are at all is not worth waiting for.
run trainctl submit-pytorch --local --name many --workers=0 -g 9 --wait --start-timeout 2s -- true
expect_exit 9
expect_err 'this machine has fewer GPUs: .*--local-gpus'
refute_err 'or wait'
