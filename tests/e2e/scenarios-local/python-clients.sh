# Notebooks and tools that use a Python client of Kubernetes could not work with the embedded cluster.
# clusters: local (kubectl and other clients use its port)
# shellcheck shell=bash

python=$(TRAINCTL_E2E_CACHE=$E2E_CACHE "$E2E/cluster/clients-here")/bin/python3
export KUBECONFIG=$WORK/kubeconfig
run trainctl local up --write "$KUBECONFIG"
expect_exit 0
for client in kubernetes kubeflow-training kr8s lightkube; do
  # The clients leave certificates of the kubeconfig in the temporary directory.
  run env TMPDIR="$WORK" "$python" "$E2E/programs/python_clients.py" "$client"
  expect_exit 0
  expect_out "^$client works\$"
done
