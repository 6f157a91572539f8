# A launcher of MPI would reach no worker.
# clusters: local (there is no image with kubectl)
# shellcheck shell=bash

# The agent that the operator gives to mpirun, called as mpirun does.
# shellcheck disable=SC2016 # the variables are the replicas'
run trainctl submit-mpi --local --name train --workers=2 --follow \
  -- sh -c 'for host in $(cut -d" " -f1 "$OMPI_MCA_orte_default_hostfile"); do "$OMPI_MCA_plm_rsh_agent" "$host" echo "from \$HOSTNAME"; done'
expect_exit 0
expect_out 'from train-worker-0$'
expect_out 'from train-worker-1$'

command -v mpirun >/dev/null || return 0
# shellcheck disable=SC2016 # the variables are the ranks'
run trainctl submit-mpi --local --name hosts --workers=2 --follow -- mpirun --allow-run-as-root -np 2 sh -c 'echo "rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE"'
expect_exit 0
expect_out 'rank 0 of 2$'
expect_out 'rank 1 of 2$'
