# A TensorFlow job with parameter servers would lack replicas, or its replicas would not know each other.
# shellcheck shell=bash

# Every replica listens where TF_CONFIG says. Worker 0 decides the verdict: it calls all the others, and waits
# a moment longer for their first lines to be read, since its end is the end of their pods.
# shellcheck disable=SC2016 # the variables are the pod's
program='echo "$TF_CONFIG"
  field() { echo "$TF_CONFIG" | sed "s/.*\"$1\":\"*\([a-z0-9]*\).*/\1/"; }
  addresses() { echo "$TF_CONFIG" | sed "s/.*\"$1\":\[\([^]]*\)\].*/\1/" | tr -d "\"" | tr , "\n"; }
  if [ "$(field type)$(field index)" = worker0 ]; then
    for peer in $(addresses ps) $(addresses worker | tail -n +2); do
      until echo hello | nc "${peer%:*}" "${peer#*:}"; do sleep 0.2; done
    done
    sleep 2
  else
    own=$(addresses "$(field type)" | sed -n "$(($(field index) + 1))p")
    nc -l -p "${own#*:}" </dev/null
    trap "exit 0" TERM; sleep 100 & wait
  fi'

run trainctl submit-tf --name tf --ps=2 --workers=4 --no-master -i "$BUSYBOX" --follow --all --command -- sh -c "$program"
expect_exit 0
expect_err '6 pods'
for replica in ps-0 ps-1 worker-0 worker-1 worker-2 worker-3; do
  expect_out "^\\[$replica\\] .*\"cluster\".*\"task\":\\{\"type\":\"${replica%-*}\",\"index\":${replica#*-}\\}"
done
expect_lines 6 "$(address tf-ps-1 2222)"
