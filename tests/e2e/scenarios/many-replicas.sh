# A user of a large job would see only some of its replicas, or none because there are too many.
# shellcheck shell=bash

# lines_of REPLICAS: every replica's six lines arrive, each once.
# shellcheck disable=SC2016 # the variables are the pod's
lines_of() {
  run trainctl submit-tf --name "many-$1" --no-master --workers="$1" -i "$BUSYBOX" --success-policy AllWorkers \
    --follow --all --command -- sh -c 'for i in 1 2 3 4 5 6; do echo line $i; done'
  expect_exit 0
  expect_equal "lines of $1 replicas" "$(grep -c 'line [1-6]$' <<<"$OUT")" "$((6 * $1))"
  if (($1 > 1)); then expect_equal 'distinct lines' "$(sort -u <<<"$OUT" | wc -l)" "$((6 * $1))"; fi
  run trainctl delete "many-$1"
  expect_exit 0
}

for replicas in 1 2 7 30 60; do lines_of "$replicas"; done
