# The manager's cluster of the variant `multikueue`: an API server with Kueue but without nodes and operators, which gives
# its jobs to the cluster with the node, named worker1; sourced by up.
# shellcheck shell=bash disable=SC2154 # the names come from common.sh and up

has_manager() { [[ $variant == multikueue ]]; }

# Which cluster kubectl and controllers reach: that with the node, or the manager's. The name of its kubeconfigs begins so.
side=''
at_manager() { local side=manager.; "$@"; }

# beside_its_api FUNCTION CONTROLLER: runs it where the controller's own API server is the one that is reached.
beside_its_api() { if [[ $2 == manager-* ]]; then at_manager "$@"; else "$@"; fi; }

api_port_here() { if [[ $side ]]; then echo "$manager_port"; else echo "$api_port"; fi; }

# The manager's kubeconfig leads to the worker cluster too, by its context trainctl-e2e.
write_manager_configuration() {
  local user config=$dir/config
  for user in admin controller-manager; do kubeconfig "$user" "$config/manager.$user.kubeconfig" trainctl-e2e-manager "$manager_port"; done
  (umask 077 && KUBECONFIG=$config/manager.admin.kubeconfig:$dir/kubeconfig "$bin/kubectl" config view --flatten >"$dir/manager.kubeconfig")
}

# Nobody works on jobs here, but they can be submitted.
install_definitions_of_jobs() {
  local patience=2m name
  kubectl apply --server-side --kustomize "$bin/manifests/crds"
  for name in jobset trainer; do
    kubectl create --dry-run=client --validate=false -o json -f "$(manifests_of "$name")" |
      jq 'select(.kind == "CustomResourceDefinition")' | kubectl apply --server-side --validate=false -f -
  done
}

install_multikueue() {
  install_objects
  kubectl create secret generic worker1 --namespace kueue-system --from-file=kubeconfig="$dir/kubeconfig"
  kubectl apply --server-side -f "$here/beyond/multikueue.yaml"
}
