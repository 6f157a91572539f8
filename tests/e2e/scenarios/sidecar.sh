# A user would wait for ever, unknowing, for a job whose training is over while a sidecar runs on.
# shellcheck shell=bash

cat >"$WORK/job.yaml" <<EOF
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: kept}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers:
            - {name: pytorch, image: $BUSYBOX, command: [sh, -c, echo trained]}
            - {name: proxy, image: $BUSYBOX, command: [sh, -c, 'trap "exit 0" TERM; sleep 1000 & wait']}
EOF
start kept trainctl submit "$WORK/job.yaml" --follow
await 'the sidecar is reported' 60 grep -q 'keeps the pod running' "$WORK/kept.err"
run trainctl get kept
expect_out 'Running.*master-0 exited 0, but its container proxy keeps the pod running'
run trainctl describe kept
expect_out 'Hint: *end it with the training'
run trainctl delete kept
finish kept
expect_exit 10
expect_out '^trained$'
