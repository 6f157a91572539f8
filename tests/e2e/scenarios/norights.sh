# A user without rights would read that the job or the cluster is missing, not what is forbidden.
# clusters: real (the embedded one has one user, its owner, who may do everything: there is no RBAC to ask)
# shellcheck shell=bash

export KUBECONFIG=$CLUSTER/norights.kubeconfig

run trainctl get -n "$NAMESPACE"
expect_exit 4
expect_err 'dev'
expect_err 'list'

run trainctl submit-pytorch -n "$NAMESPACE" --name mine --workers=1 -i "$BUSYBOX" --follow
expect_exit 4
expect_err 'create'

run trainctl logs -n "$NAMESPACE" mine
expect_exit 4

run trainctl delete -n "$NAMESPACE" mine
expect_exit 4
