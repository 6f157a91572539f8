# mpirun would not reach its workers, through an MPIJob of v2beta1 or through a TrainJob.
# variants: mpi
# shellcheck shell=bash

kubectl create -f - >/dev/null <<END
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: two}
spec:
  runPolicy: {cleanPodPolicy: Running}
  sshAuthMountPath: /home/mpiuser/.ssh
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          restartPolicy: Never
          containers:
          - {name: launcher, image: "$MPI", command: [mpirun, -n, "2", hostname], securityContext: {runAsUser: 1000}}
    Worker:
      replicas: 2
      template:
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - name: worker
            image: $MPI
            command: [/usr/sbin/sshd, -De, -f, /home/mpiuser/.sshd_config]
            securityContext: {runAsUser: 1000}
            readinessProbe: {tcpSocket: {port: 2222}, periodSeconds: 1}
END
kubectl create -f - >/dev/null <<END
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: test-mpi}
  trainer: {numNodes: 2, command: [mpirun, -n, "2", hostname]}
END

await 'the MPIJob succeeded' 60 job_is mpijob/two Succeeded
run kubectl logs -l training.kubeflow.org/job-name=two,training.kubeflow.org/job-role=launcher
expect_out '^two-worker-0$'
expect_out '^two-worker-1$'
await 'the TrainJob is complete' 60 job_is trainjob/train Complete
run kubectl logs -l jobset.sigs.k8s.io/jobset-name=train,jobset.sigs.k8s.io/replicatedjob-name=launcher
expect_out '^train-node-0-0$'
expect_out '^train-node-0-1$'
