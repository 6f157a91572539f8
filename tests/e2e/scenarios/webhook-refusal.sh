# A user whose manifest the operator refuses would not see the operator's reason.
# shellcheck shell=bash

# Only the operator's webhook knows this rule: no flag, schema or local check does.
cat >job.yaml <<MANIFEST
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: refused}
spec:
  runPolicy: {managedBy: somebody-else/else, backoffLimit: 0}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: "$BUSYBOX", command: ["true"]}]}}
MANIFEST

run trainctl submit -f job.yaml
expect_exit 6
expect_err 'managedBy: Unsupported value: "somebody-else/else"'
job_gone pytorchjob/refused || fail 'the refused job exists'
