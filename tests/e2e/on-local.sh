# How a scenario uses the embedded cluster with --local alone: nothing is started before it; sourced by run.
# shellcheck shell=bash disable=SC2154 # $here is run's

# shellcheck source=SCRIPTDIR/on-embedded.sh
source "$here/on-embedded.sh"

cluster_up() {
  prepare_local
  unset KUBECONFIG
  export NAMESPACE=default
}
