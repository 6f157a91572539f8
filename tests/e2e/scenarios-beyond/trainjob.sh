# A TrainJob of two nodes would not run on a cluster with Trainer v2.
# variants: trainer both mpi
# shellcheck shell=bash

kubectl create -f - >/dev/null <<END
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: two}
spec:
  runtimeRef: {name: torch-distributed}
  trainer:
    image: $BUSYBOX
    numNodes: 2
    numProcPerNode: 1
    command: [sh, -c, 'echo node \$PET_NODE_RANK of \$PET_NNODES, master \$PET_MASTER_ADDR']
END
await 'the TrainJob is complete' 60 job_is trainjob/two Complete

for node in 0 1; do
  run kubectl logs -l "jobset.sigs.k8s.io/jobset-name=two,batch.kubernetes.io/job-completion-index=$node"
  expect_equal "the log of node $node" "$OUT" "node $node of 2, master two-node-0-0.two"
done

cat >unknown.json <<END
{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "none"}, "spec": {"runtimeRef": {"name": "nosuch"}}}
END
run kubectl create -f unknown.json
expect_exit 1
# Trainer or Kueue, whoever is asked first.
expect_err 'denied the request: .*nosuch.* not found'
