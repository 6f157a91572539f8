# A replica that needs more memory than it may have would end with a bare 137, or on a laptop not at all.
# clusters: embedded (on a real node the kernel keeps the limit)
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variable is the replica's
program='x=$(head -c 67108864 /dev/zero | tr "\0" a); echo "it fits: ${#x}"; sleep 100'
run trainctl submit-pytorch --name big --workers=0 --restart-policy Never --memory-limit 32Mi -i "$BUSYBOX" \
  --follow --command -- sh -c "$program"
expect_exit 3
expect_err 'job big failed: master-0 was OOMKilled \(out of memory\)'
expect_err 'give it more memory: --memory-limit'
