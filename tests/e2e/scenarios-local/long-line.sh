# Output without a newline would fill the memory, or be cut.
# clusters: local (watches the daemon's memory)
# shellcheck shell=bash

trainctl submit-pytorch --local --name wide --workers=0 --restart-policy Never --follow \
  -- sh -c 'head -c 200000000 /dev/zero | tr "\0" x' 2>"$WORK/err" | tr -d '\n' | wc -c >"$WORK/count"
expect_equal 'the bytes that arrived' "$(<"$WORK/count")" 200000000
peak=$(awk '$1 == "VmHWM:" { print int($2 / 1024) }' "/proc/$(daemon_pid)/status")
((peak < 100)) || fail "the daemon took $peak MiB"
