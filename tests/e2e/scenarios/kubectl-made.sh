# A user could not look after a job that a colleague created with kubectl.
# shellcheck shell=bash

kubectl create -f - >/dev/null <<END
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: theirs}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template: {spec: {containers: [{name: pytorch, image: "$BUSYBOX", command: [sh, -c, "echo made by kubectl; sleep 3"]}]}}
END

run trainctl get theirs
expect_exit 0
expect_out 'theirs'

run trainctl logs -f theirs
expect_exit 0
expect_out '^made by kubectl$'

run trainctl wait theirs --timeout 30s
expect_exit 0

for command in 'get theirs -o json' 'logs theirs' 'describe theirs' 'events theirs' 'env theirs'; do
  # shellcheck disable=SC2086 # the words are the command and its argument
  run trainctl $command
  expect_exit 0
  expect_out .
done

run trainctl delete theirs
expect_exit 0
job_gone pytorchjob/theirs || fail 'the job still exists'
