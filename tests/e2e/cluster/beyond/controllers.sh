# The variants of the cluster: which controllers each has, and how those of newer generations are installed and
# started; sourced by up.
# shellcheck shell=bash disable=SC2154 # the names come from common.sh and up

# What each variant runs; of older Trainers there are only the definitions, for the shape of their objects. MPIJob of
# v2beta1 has the name that v1's has, so that no variant has both.
controllers_of() {
  case $1 in
    v1) echo training-operator ;;
    trainer) echo jobset trainer kueue ;;
    both | both-old-kueue) echo training-operator jobset trainer kueue ;;
    mpi) echo jobset trainer kueue mpi-operator ;;
    multikueue) echo training-operator jobset trainer kueue manager-kueue ;;
    trainer-2.0 | trainer-2.1) ;;
    *) die "there is no variant '$1'; there are: trainer, both, both-old-kueue, mpi, multikueue, trainer-2.0, trainer-2.1" ;;
  esac
}

# The program of controller NAME, which its manifests are named after.
program_of() {
  if [[ $1 == kueue && $variant == *-old-kueue ]]; then echo kueue-0.14; else echo "${1#manager-}"; fi
}

build_controllers() {
  local name programs=()
  for name in "${controllers[@]}"; do
    [[ $name == training-operator ]] || programs+=("$(program_of "$name")")
  done
  "$here/beyond/build" "${programs[@]}"
}

install_definitions() { kubectl apply --server-side -f "$beyond/manifests/$variant.yaml"; }

manifests_of() { echo "$beyond/manifests/$(program_of "$1").yaml"; }

# The ports are those of the cluster's own network.
webhooks_at() {
  case $1 in
    jobset) echo 19444 ;;
    trainer) echo 19445 ;;
    kueue) echo 19446 ;;
    manager-kueue) echo 19447 ;;
    mpi-operator) echo none ;;
  esac
}

health_at() {
  case $1 in
    jobset) echo 18082 ;;
    trainer) echo 18083 ;;
    kueue) echo 18084 ;;
    manager-kueue) echo 18085 ;;
    mpi-operator) echo 8080 ;;
  esac
}

# Of Kueue: where it serves its API of pending workloads.
pending_at() { if [[ $1 == kueue ]]; then echo 8082; else echo 8083; fi; }

# Who a controller is: NAMESPACE NAME of its service account, whose rights its own manifests give it.
account_of() {
  case $1 in
    jobset) echo jobset-system jobset-controller-manager ;;
    trainer) echo kubeflow-system kubeflow-trainer-controller-manager ;;
    kueue | manager-kueue) echo kueue-system kueue-controller-manager ;;
    mpi-operator) echo mpi-operator mpi-operator ;;
  esac
}

# The newest version of its API: the older Kueue has only the first.
kueue_version() { if [[ $(program_of kueue) == kueue ]]; then echo v1beta2; else echo v1beta1; fi; }

# The kinds of jobs that Kueue manages. MultiKueue connects to a worker cluster only if it serves each of them, and ours
# has no MPIJob of v2beta1.
frameworks_of() {
  case $1 in
    kueue) printf '%s, ' batch/job jobset.x-k8s.io/jobset kubeflow.org/{tf,xgboost,jax,mpi}job ;;
  esac
  echo kubeflow.org/pytorchjob, trainer.kubeflow.org/trainjob
}

configuration_of() {
  case $1 in
    jobset) printf 'apiVersion: config.jobset.x-k8s.io/v1alpha1\ninternalCertManagement: {enable: false}\n' ;;
    trainer) printf 'apiVersion: config.trainer.kubeflow.org/v1alpha1\ncertManagement: {enable: false}\n' ;;
    kueue | manager-kueue)
      printf 'apiVersion: config.kueue.x-k8s.io/%s\ninternalCertManagement: {enable: false}\n' "$(kueue_version)"
      printf 'integrations: {frameworks: [%s]}\n' "$(frameworks_of "$1")"
      [[ $1 == kueue ]] || printf 'visibilityServer: {bindPort: %s}\n' "$(pending_at "$1")"
      ;;
  esac
  cat <<END
kind: Configuration
leaderElection: {leaderElect: false}
webhook: {port: $(webhooks_at "$1")}
health: {healthProbeBindAddress: ":$(health_at "$1")"}
metrics: {bindAddress: "0"}
END
}

# The controllers run outside the cluster: the API server reaches their webhooks by address, not by service. Of
# services only Kueue's own API stays, which has no other way.
reached_by_address() {
  # shellcheck disable=SC2016 # the variables are jq's
  jq --arg server "https://$node_address:$1" --arg authority "$(base64 -w0 "$pki/ca.crt")" '
    select(.kind | IN("Deployment", "Secret") | not)
    | if .kind == "Service" then select(.metadata.name == "kueue-visibility-server") | del(.spec.selector) else . end
    | (.webhooks[]?.clientConfig, .spec.conversion?.webhook?.clientConfig? | select(.service?))
        |= {url: ($server + .service.path), caBundle: $authority}'
}

# kueue_api PORT: the end of the way to Kueue's own API.
kueue_api() {
  cat <<END
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kueue-visibility-server, namespace: kueue-system, labels: {kubernetes.io/service-name: kueue-visibility-server}}
addressType: IPv4
ports: [{name: https, port: $1}]
endpoints: [{addresses: [$node_address], conditions: {ready: true}}]
END
}

install_controller() {
  kubectl create --dry-run=client --validate=false -o json -f "$(manifests_of "$1")" |
    reached_by_address "$(webhooks_at "$1")" | kubectl apply --server-side --validate=false -f -
  [[ $1 != *kueue ]] || kueue_api "$(pending_at "$1")" | kubectl apply --server-side -f -
}

# Controllers read their certificates from fixed places, and who they are from a pod's: each gets a folder with these
# as its root.
controller_root() {
  local root=$dir/controllers/$1 pod=var/run/secrets/kubernetes.io/serviceaccount namespace account place
  read -r namespace account <<<"$(account_of "$1")"
  rm -rf "$root"
  mkdir -p "$root/$pod"
  for place in tmp/k8s-webhook-server/serving-certs etc/kueue/metrics/certs visibility; do
    mkdir -p "$root/$place"
    cp "$pki/controllers.crt" "$root/$place/tls.crt"
    cp "$pki/controllers.key" "$root/$place/tls.key"
  done
  cp "$pki/ca.crt" "$root/$pod/ca.crt"
  printf %s "$namespace" >"$root/$pod/namespace"
  (umask 077 && kubectl create token --namespace "$namespace" "$account" --duration=24h >"$root/$pod/token")
  cp "$beyond/$(program_of "$1")" "$root/controller"
  configuration_of "$1" >"$root/config.yaml"
}

# mpi-operator ends when a busy machine makes it late with its lease, and is started again as its pod would be.
start_controller() {
  local command=(chroot "$dir/controllers/$1" /controller --config=/config.yaml)
  # shellcheck disable=SC2016 # the inner shell expands its own arguments
  [[ $1 != mpi-operator ]] ||
    command=(sh -c 'trap "kill \$pid; exit" TERM; while :; do chroot "$1" /controller & pid=$!; wait $pid; done' sh "$dir/controllers/$1")
  controller_root "$1"
  start "$1" env KUBERNETES_SERVICE_HOST="$node_address" KUBERNETES_SERVICE_PORT="$(api_port_here)" "${command[@]}"
}

# Its readiness says that webhooks are served, but they are registered one by one: each must be there.
controller_ready() {
  local path
  case $1 in
    mpi-operator)
      http_ok "http://$node_address:$(health_at "$1")/healthz" && kubectl get lease --namespace mpi-operator mpi-operator
      return
      ;;
    kueue | manager-kueue) kubectl get --raw "/apis/visibility.kueue.x-k8s.io/$(kueue_version)" || return 1 ;;
  esac
  http_ok "http://$node_address:$(health_at "$1")/readyz" || return 1
  for path in $(webhook_paths "$(manifests_of "$1")"); do
    http_ok "https://$node_address:$(webhooks_at "$1")$path" || return 1
  done
}

# What jobs ask for by name: the runtimes that come with Trainer, ours, and what a queue is made of.
install_objects() {
  kubectl apply --server-side -f "$here/beyond/runtimes.yaml"
  ((${#controllers[@]})) || return 0
  kubectl apply --server-side -f "$beyond/manifests/runtimes.yaml"
  sed "s|kueue.x-k8s.io/v1beta1|kueue.x-k8s.io/$(kueue_version)|" "$here/beyond/queues.yaml" | kubectl apply --server-side -f -
}
