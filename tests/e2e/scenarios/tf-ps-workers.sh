# A TensorFlow job with parameter servers would lack replicas, or its replicas would not know each other.
# shellcheck shell=bash

# Worker 0 decides the verdict: it waits for all the others, and a moment longer for their first lines
# to be read, since its end is the end of their pods.
# shellcheck disable=SC2016 # the variables are the pod's
program='echo "$TF_CONFIG"
  case $HOSTNAME in
    *-worker-0) for peer in ps-0 ps-1 worker-1 worker-2 worker-3; do
        until ping -c1 -w1 "tf-$peer" >/dev/null 2>&1; do sleep 0.2; done
      done
      sleep 2 ;;
    *) trap "exit 0" TERM; sleep 100 & wait ;;
  esac'

run trainctl submit-tf --name tf --ps=2 --workers=4 --no-master -i "$BUSYBOX" --follow --all --command -- sh -c "$program"
expect_exit 0
expect_err '6 pods'
for replica in ps-0 ps-1 worker-0 worker-1 worker-2 worker-3; do
  expect_out "^\\[$replica\\] .*\"cluster\".*\"task\":\\{\"type\":\"${replica%-*}\",\"index\":${replica#*-}\\}"
done
expect_lines 6 "tf-ps-1.$NAMESPACE.svc:2222"
