# A replica that crashes once would end the training, or be restarted for ever.
# clusters: local (the replica leaves a file beside it)
# shellcheck shell=bash

run trainctl submit-pytorch --local --name once --workers=0 --restart-policy OnFailure --follow \
  -- sh -c "if [ -e '$WORK/been' ]; then echo 'second attempt'; exit 0; fi; echo 'first attempt'; touch '$WORK/been'; exit 1"
expect_exit 0
expect_lines 1 '^first attempt$'
expect_lines 1 '^second attempt$'

run trainctl submit-pytorch --local --name again --workers=0 --restart-policy OnFailure --backoff-limit 1 --follow -- sh -c 'exit 9'
expect_exit 3
expect_err '(exit|exited|code).* 9'

# Clean-up ends a pod between two runs; the log of what the job failed with is not to go with it.
run trainctl submit-pytorch --local --name boom --workers=0 --backoff-limit 1 --wait -- sh -c 'echo Traceback; exit 9'
expect_exit 3
has_log() { [[ $(trainctl logs --local boom) == *Traceback* ]]; }
await 'its log can be read' 20 has_log
