# Paths and small functions shared by build, images, up and down; sourced, never run.
# shellcheck shell=bash disable=SC2034 # most of the names below are for those who source this

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${TRAINCTL_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trainctl-e2e}

# The version of MODULE that the module file go/DIR/go.mod asks for.
module_version() {
  awk -v module="$2" '{ sub(/^require /, "") } $1 == module { print $2; exit }' "$here/go/$1/go.mod"
}

# A short name for the content on standard input.
content_key() { sha256sum | cut -c1-12; }

bin=$cache/bin-$(module_version kubernetes k8s.io/kubernetes)-$(cat "$here"/go/*/* "$here"/{pause.c,build,go.sh} | content_key)

pause_image=trainctl.test/pause:1
busybox_image=trainctl.test/busybox:1
torch_image=trainctl.test/torch:1
tensorflow_image=trainctl.test/tensorflow:1
mpi_image=trainctl.test/mpi:1

# The cluster has a network namespace of its own, whose pods and ports meet no network of the machine (10.244.0.0/16 is
# what flannel, k3s, kind and minikube use). A cable leads to it: the machine's end, and the node's.
cable=trainctl-e2e0
machine_address=10.245.0.2
node_address=10.245.0.1
bridge=pods
network=trainctl-e2e
api_port=16443
manager_port=16444
etcd_port=12379
webhook_port=19443
operator_health_port=18081

# No proxy knows these addresses.
NO_PROXY=${NO_PROXY:-${no_proxy:-}},127.0.0.1,$node_address
export NO_PROXY no_proxy=$NO_PROXY

# One line of progress, on stderr like all talk.
say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# Seconds since the moment START (in EPOCHREALTIME's form), with one decimal.
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# step TITLE LOG CMD…: runs CMD with its output in LOG, and reports how long it took; every 15 s it
# says how far LOG has grown, so that a long build does not look like a hung one.
step() {
  local title=$1 log=$2 start=$EPOCHREALTIME seconds=0 beat=15 pid
  shift 2
  mkdir -p "$(dirname "$log")"
  # Job control gives CMD a process group of its own, so that an interrupt can end all of it.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  set +m
  # shellcheck disable=SC2064 # the pid of now is meant
  trap "kill -- -$pid 2>/dev/null; exit 130" INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.1
    seconds=$(seconds_since "$start")
    if ((${seconds%.*} >= beat)); then
      say "  … $title: ${seconds%.*} s, $(wc -l <"$log") lines of output"
      beat=$((beat + 15))
    fi
  done
  if ! wait "$pid"; then
    say "  FAILED $title after $(seconds_since "$start") s; the end of $log:"
    tail -n 20 "$log" >&2
    exit 1
  fi
  trap - INT TERM
  say "  $title: $(seconds_since "$start") s"
}

# The run directory that the argument, the environment or the default names.
run_dir() { realpath -m "${1:-${TRAINCTL_E2E_DIR:-$cache/run}}"; }

# Holds the cache's lock, so that two `up` or `down` never work at the same time.
take_lock() {
  mkdir -p "$cache"
  exec {lock}>"$cache/lock"
  flock "$lock"
}
