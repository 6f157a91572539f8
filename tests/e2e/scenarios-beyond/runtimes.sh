# A user would not see which runtimes a cluster has, or name one that cannot run the job and not learn why.
# variants: trainer both
# shellcheck shell=bash

run trainctl runtimes
expect_exit 0
expect_out '^torch-distributed +cluster +torch +1 +pytorch/pytorch'
expect_out '^test-mpi +cluster +mpi +1 +trainctl.test/mpi:1 +node,launcher$'

trainctl template eject --runtime tf | kubectl create -f - >/dev/null
run trainctl runtimes -o name
expect_out '^trainingruntime.trainer.kubeflow.org/tf$'

line=(trainctl submit-pytorch --name mine --workers=1 -i "$BUSYBOX")
words=(--command -- sh -c 'echo "rank $RANK"')
run "${line[@]}" --runtime nosuch "${words[@]}"
expect_exit 5
expect_err 'there is no runtime nosuch'
expect_err 'test-torch'
run "${line[@]}" --runtime jax-distributed "${words[@]}"
expect_exit 2
expect_err 'is made for jax'
run "${line[@]}" --runtime test-torch --restart-policy Never "${words[@]}"
expect_exit 2
expect_err '^error: .*--restart-policy'

run "${line[@]}" --runtime test-torch --node-selector kubernetes.io/os=linux "${words[@]}"
expect_exit 0
await 'the job is complete' 60 job_is trainjob/mine Complete
expect_equal 'the node selector' "$(kubectl get jobset/mine -o jsonpath='{.spec.replicatedJobs[0].template.spec.template.spec.nodeSelector}')" '{"kubernetes.io/os":"linux"}'
run trainctl submit-tf --name named --no-master --workers=2 -i "$BUSYBOX" --runtime tf "${words[@]}"
expect_exit 0
await 'the job by an ejected runtime is complete' 60 job_is trainjob/named Complete

# chatty NAME KIND: a runtime that prints three words.
chatty() {
  cat <<END
apiVersion: trainer.kubeflow.org/v1alpha1
kind: $2
metadata: {name: $1}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                restartPolicy: Never
                containers: [{name: node, image: "$BUSYBOX", command: [echo], args: [of, the, runtime]}]
END
}
# beside KIND: it and a job of it, in one file.
beside() {
  chatty beside "$1"
  cat <<END
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: beside}
spec: {runtimeRef: {apiGroup: trainer.kubeflow.org, kind: $1, name: beside}}
END
}

# The arguments of a runtime do not reach a program that has none of its own.
chatty chatty TrainingRuntime | kubectl create -f - >/dev/null
run trainctl submit-pytorch --name plain --no-master -i "$BUSYBOX" --runtime chatty --command -- echo
expect_exit 0
await 'the job of a runtime with arguments is complete' 60 job_is trainjob/plain Complete
run kubectl logs -l jobset.sigs.k8s.io/jobset-name=plain
expect_equal 'the log' "$OUT" ''

# A runtime in the job's file comes and goes with the job. One of the cluster belongs to others as well.
beside ClusterTrainingRuntime >shared.yaml
run trainctl submit shared.yaml
expect_exit 2
expect_err 'ClusterTrainingRuntime beside cannot be created with the job: it belongs to the whole cluster$'
beside TrainingRuntime >beside.yaml
run trainctl submit beside.yaml --follow
expect_exit 0
expect_equal 'the log of the job by its own runtime' "$OUT" 'of the runtime'
expect_equal 'the owner of the runtime' "$(kubectl get trainingruntime/beside -o jsonpath='{.metadata.ownerReferences[*].uid}')" "$(job_uid trainjob/beside)"
run trainctl delete beside --yes
expect_exit 0
await 'the runtime went with its job' 30 job_gone trainingruntime/beside
