# A job that crashes again and again would keep its pipeline waiting for ever.
# shellcheck shell=bash

# As manifests are found on the web: without a backoffLimit, the operator calls such a job Running for ever.
cat >endless.yaml <<MANIFEST
apiVersion: "kubeflow.org/v1"
kind: "PyTorchJob"
metadata:
  name: "pytorch-dist-mnist-gloo"
spec:
  pytorchReplicaSpecs:
    Master: &replica
      replicas: 1
      restartPolicy: OnFailure
      template:
        metadata:
          annotations:
            sidecar.istio.io/inject: "false"
        spec:
          containers:
            - name: pytorch
              image: $BUSYBOX
              command: ["sh", "-c", "exit 1"]
          imagePullSecrets:
            - name: image-pull-secret
    Worker: *replica
MANIFEST
start submit trainctl submit -f endless.yaml --wait
await 'the job is there' 20 job_exists pytorchjob/pytorch-dist-mnist-gloo
start wait trainctl wait pytorch-dist-mnist-gloo

# With a limit the operator ends it.
run trainctl submit-pytorch --name loop --workers=0 --restart-policy OnFailure --backoff-limit 1 -i "$BUSYBOX" \
  --follow --command -- sh -c 'echo "about to crash"; sleep 1; exit 9'
expect_exit 3
expect_out 'about to crash'
expect_err 'master-0'
expect_err '(exit|exited|code).* 9'

finish wait
expect_exit 3
expect_err 'crash loop'
finish submit
expect_exit 3
# Neither a restart or two, which may be bad luck, nor the minutes that later ones are apart.
expect_err 'crash loop: (master|worker)-0 exited 1, [3-5] times'
