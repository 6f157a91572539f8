# A replica that ignores SIGTERM, and what it has started, would stay for ever.
# clusters: local (looks at the machine's processes)
# shellcheck shell=bash

mark=$((200000 + RANDOM))
cat >job.yaml <<MANIFEST
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: stubborn}
spec:
  runPolicy: {backoffLimit: 0}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - name: pytorch
            image: none
            command: [sh, -c, 'trap "" TERM HUP; setsid sleep $mark & sleep $mark & echo started; while :; do sleep 1; done']
MANIFEST
run trainctl submit --local -f job.yaml
expect_exit 0
started() { (($(pgrep -c -f "^sleep $mark\$") == 2)); }
ended() { ! pgrep -f "^sleep $mark\$|$mark & echo started" >/dev/null; }
await 'the replica and its children run' 20 started
run trainctl delete --local stubborn
expect_exit 0
await 'everything is gone' 15 ended
