# A replica that always ends by a signal would get new pods for ever, ten a second, and nobody would be told.
# clusters: local (a real operator does the same, which takes as long)
# shellcheck shell=bash

run trainctl submit-pytorch --local --name loop --workers=0 --restart-policy ExitCode --backoff-limit 1 --wait -- sh -c 'exit 137'
expect_exit 3
expect_err 'gave up on job loop, which is in a crash loop: master-0 exited 137 \(SIGKILL\), 4 times so far, and the operator creates a new pod each time'
