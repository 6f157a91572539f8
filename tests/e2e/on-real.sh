# How a scenario reaches the real cluster that cluster/up started; sourced by run.
# shellcheck shell=bash disable=SC2034,SC2154 # run and the scenarios use the names; $here, $work and $way are run's

# shellcheck source=SCRIPTDIR/rights.sh
source "$here/rights.sh"
# shellcheck source=SCRIPTDIR/ways.sh
source "$here/ways.sh"

# An address as a replica sees it: its service's name.
export ADDRESS_STYLE=name

cluster_up() {
  [[ -e $cluster/pids/kubelet ]] || die "no cluster in $cluster: run $here/cluster/up first"
  local wanted=${E2E_VARIANT:-v1}
  variant=$(cat "$cluster/variant")
  [[ $variant == "$wanted" ]] || die "the cluster in $cluster is of the variant '$variant', not '$wanted'"
  ln -s "$cluster/bin/kubectl" "$work/bin/kubectl"
  export KUBECONFIG=$work/kubeconfig
  cp "$cluster/kubeconfig" "$KUBECONFIG"
  make_namespace
  # Pods need the default service account and the authority's certificate, which come a moment later.
  until kubectl get serviceaccount/default configmap/kube-root-ca.crt >/dev/null 2>&1; do sleep 0.1; done
  [[ ! $way ]] || way_in "$way"
  [[ $variant != multikueue ]] || manager_too
}

# Jobs are submitted to the manager's cluster, whose context is the current one; trainctl-e2e leads to the worker's.
manager_too() {
  cp "$cluster/manager.kubeconfig" "$KUBECONFIG"
  kubectl config set-context trainctl-e2e --namespace="$NAMESPACE" >/dev/null
  make_namespace
}

cluster_down() {
  [[ ${KUBECONFIG:-} ]] || return 0 # it never came to that
  way_out
  kubectl delete namespace "$NAMESPACE" --wait=false --ignore-not-found >/dev/null || true
  [[ $variant != multikueue ]] || kubectl --context=trainctl-e2e delete namespace "$NAMESPACE" --wait=false --ignore-not-found >/dev/null || true
}
