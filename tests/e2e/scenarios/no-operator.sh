# A user whose cluster lacks the training operator would read of a missing page, not what to have installed.
# clusters: real (the embedded one is never without its operator)
# shellcheck shell=bash

# A second API server like the cluster's own and in its network, whose store is empty.
mapfile -d '' -t words <"/proc/$(cut -d ' ' -f 1 "$CLUSTER/pids/kube-apiserver")/cmdline"
server=$(kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}')
port=$((${server##*:} + 1))
start bare nsenter --net="$CLUSTER/network" "${words[@]}" --secure-port="$port" --etcd-prefix="/$NAMESPACE"
to=(--server "${server%:*}:$port")
await 'the second API server is ready' 60 kubectl get --raw /readyz "${to[@]}"

run trainctl get "${to[@]}"
expect_exit 5
expect_err 'knows none of the training job kinds'
expect_err '^hint: install .*the Kubeflow training operator'
for command in 'submit-pytorch --name ddp' 'submit-pytorch --name ddp --dry-run=server'; do
  # shellcheck disable=SC2086 # the words are the command and its flags
  run trainctl $command -i "$BUSYBOX" "${to[@]}"
  expect_exit 5
  expect_err 'does not serve pytorchjobs\.kubeflow\.org/v1'
  expect_err '^hint: install .*the Kubeflow training operator'
done
