# A job whose config map stands in the same file would be refused, start without it, or leave it behind.
# shellcheck shell=bash

# The pods read the one as a file, the other as a variable.
cat >"$WORK/job.yaml" <<END
apiVersion: v1
kind: ConfigMap
metadata: {name: beside-settings}
data: {train.ini: "epochs = 3\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: beside-hub}
stringData: {token: hunter2-hunter2}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: beside}
spec:
  runPolicy: {backoffLimit: 1}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: "$BUSYBOX"
              command: [sh, -c, 'cat /mnt/train.ini; echo "token of \${#TOKEN} letters"']
              env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: beside-hub, key: token}}}]
              volumeMounts: [{name: settings, mountPath: /mnt}]
          volumes: [{name: settings, configMap: {name: beside-settings}}]
END

owner_of() { kubectl get "$1" -o jsonpath='{.metadata.ownerReferences[*].uid}'; }
is_gone() { ! kubectl get "$1" >/dev/null 2>&1; }
# The program found both, and the job owns both.
expect_run() {
  expect_exit 0
  expect_out '^epochs = 3$'
  expect_out '^token of 15 letters$'
  refute_out hunter2
  refute_err hunter2
  local object
  for object in configmap/beside-settings secret/beside-hub; do
    expect_equal "the owner of $object" "$(owner_of "$object")" "$(job_uid pytorchjob/beside)"
  done
}

run trainctl submit "$WORK/job.yaml" --dry-run=server -o name
expect_exit 0
expect_lines 3 .
is_gone configmap/beside-settings || fail 'a dry run created the config map'

run trainctl submit "$WORK/job.yaml" --follow
expect_run

run trainctl submit "$WORK/job.yaml"
expect_exit 6
expect_err 'pytorchjob beside already exists'

first=$(job_uid pytorchjob/beside)
run trainctl submit "$WORK/job.yaml" --if-exists=replace --follow
expect_run
[[ $(job_uid pytorchjob/beside) != "$first" ]] || fail 'replace kept the old job'

# At once, whether or not the former ones have been collected.
run trainctl delete beside
expect_exit 0
run trainctl submit "$WORK/job.yaml" --follow --timeout 60s
expect_run

run trainctl delete beside
expect_exit 0
await 'the config map is gone' 30 is_gone configmap/beside-settings
await 'the secret is gone' 30 is_gone secret/beside-hub
