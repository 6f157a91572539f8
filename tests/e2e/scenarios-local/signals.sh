# A pipeline that is cancelled would keep its GPUs, or hang until it is killed.
# clusters: local (it decides at which moment signals come)
# shellcheck shell=bash

run python3 "$E2E/programs/signals.py" "$(command -v trainctl)" "${SIGNAL_ROUNDS:-8}"
expect_exit 0
expect_out '^0 of [0-9]+ signals lost$'
