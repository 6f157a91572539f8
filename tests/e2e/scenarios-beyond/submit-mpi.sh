# mpirun through trainctl: an MPIJob of mpi-operator, and a TrainJob of the cluster's MPI runtime, with the right log,
# verdict and exit status; a launcher that fails, an image that does not exist, and what shows and ends such jobs.
# variants: mpi
# shellcheck shell=bash

workers_gone() { [[ ! $(kubectl get pods -l "training.kubeflow.org/job-name=$1,training.kubeflow.org/job-role=worker" -o name) ]]; }

# The cluster serves MPIJob of v2beta1 alone, which is found out before anything is sent.
run trainctl submit-mpi --name pi --workers=2 -i "$MPI" --follow --start-timeout 60s --command -- mpirun --allow-run-as-root -n 2 hostname
expect_exit 0
expect_err '^the cluster has MPIJob of v2beta1: submitting one of mpi-operator$'
expect_err '^3 pods \(launcher 1 \+ worker 2\), no GPUs$'
expect_out '^pi-worker-0$'
expect_out '^pi-worker-1$'
expect_equal 'the API of the job' "$(kubectl get mpijob pi -o jsonpath='{.apiVersion}')" kubeflow.org/v2beta1
await 'workers end with the job' 30 workers_gone pi

run trainctl get pi
expect_exit 0
expect_out '^pi +MPIJob +Succeeded'
run trainctl logs mpi/pi
expect_exit 0
expect_out '^pi-worker-1$'
run trainctl wait pi
expect_exit 0
run trainctl env pi/launcher-0
expect_exit 0
expect_out '^OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile'
run trainctl describe pi
expect_exit 0
expect_out 'launcher-0'
run trainctl events pi
expect_exit 0
expect_out 'MPIJobSucceeded'
run trainctl why pi
expect_exit 0
run trainctl delete pi --yes
expect_exit 0
await 'the job is gone' 30 job_gone mpijob/pi

# A rank fails: the launcher is not tried again, unless it may restart.
run trainctl submit-mpi --name bad --workers=2 -i "$MPI" --follow --command -- \
  mpirun --allow-run-as-root -n 2 sh -c 'echo "rank $OMPI_COMM_WORLD_RANK"; [ "$OMPI_COMM_WORLD_RANK" = 0 ] || exit 7; sleep 30'
expect_exit 3
expect_err '^launcher-0 exited 7; its last lines:$'
expect_err '^error: job bad failed: launcher-0 exited 7$'
await 'workers end with the failed job' 30 workers_gone bad

# Where it may restart, the restarts are counted.
run trainctl submit-mpi --name worse --workers=1 -i "$MPI" --restart-policy OnFailure --backoff-limit 1 --follow --command -- sh -c 'echo begun; exit 5'
expect_exit 3
expect_err 'launcher-0 exited 5 \(backoff limit reached\)'

# An image that does not exist is told, whoever has it.
run trainctl submit-mpi --name noimage --workers=1 -i registry.invalid/none:1 --wait --start-timeout 20s --command -- mpirun true
expect_exit 9
expect_err 'ImagePull|ErrImagePull'
run trainctl why noimage
expect_exit 0
expect_out 'ImagePull'

# Suspended and resumed, the launcher is made anew.
run trainctl submit-mpi --name pause --workers=1 -i "$MPI" --command -- mpirun --allow-run-as-root -n 1 sh -c 'echo begun; sleep 600'
expect_exit 0
run trainctl wait pause --for=running --timeout 60s
expect_exit 0
run trainctl suspend pause
expect_exit 0
await "its pods are gone" 60 workers_gone pause
run trainctl get pause
expect_out 'Suspended'
run trainctl resume pause
expect_exit 0
run trainctl wait pause --for=running --timeout 60s
expect_exit 0

# The user's own manifest.
kubectl get mpijob bad -o json | jq '{apiVersion, kind, metadata: {name: "mine"}, spec} | .spec.runPolicy.cleanPodPolicy = "All"
  | .spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].command = ["hostname"] | .spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].args = []' >job.json
run trainctl submit job.json --wait
expect_exit 0

# One line, as a TrainJob: the cluster has one runtime that is made for MPI.
run trainctl submit-mpi --name train --workers=2 -i "$MPI" --api=trainer --follow --command -- mpirun -n 2 hostname
expect_exit 0
expect_err '^runtime test-mpi: the launcher runs the job.s image, and the nodes run the runtime.s$'
expect_out '^train-node-0-0$'
expect_out '^train-node-0-1$'
run trainctl submit-mpi --name trainbad --workers=2 -i "$MPI" --runtime test-mpi --follow --command -- \
  mpirun -n 2 sh -c '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exit 7; sleep 30'
expect_exit 3
expect_err '^launcher-0 exited 7'
run trainctl submit-mpi --name gpus --workers=2 -g 1 -i "$MPI" --runtime test-mpi --command -- mpirun hostname
expect_exit 2
expect_err '-g: only a runtime can set it|--gpus?: only a runtime can set it'
