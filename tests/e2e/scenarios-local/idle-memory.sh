# The daemon of one who has run a few jobs would keep megabytes for each of them while nothing happens.
# clusters: local (measures a daemon of its own)
# shellcheck shell=bash

run python3 -I "$E2E/../bench/idle_memory.py" --jobs 0,16 --growth 3 "$TRAINCTL"
expect_exit 0
expect_out '^  16 jobs kept '
