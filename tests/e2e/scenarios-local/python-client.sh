# Notebooks and dashboards that use the official Python client could not look into the embedded cluster.
# clusters: local (kubectl and other clients use its port)
# shellcheck shell=bash

export KUBECONFIG=$WORK/kubeconfig
run trainctl local up --write "$KUBECONFIG"
expect_exit 0
run python3 "$E2E/programs/python_client.py"
expect_exit 0
expect_out '^all calls answered$'
