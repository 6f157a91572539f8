# How a scenario gets an embedded cluster of its own, and the proof that nothing is left of it; sourced by run.
# shellcheck shell=bash disable=SC2154 # $work, $here, $scenario, $cache and $cluster are run's

# An address as a replica sees it: a port of this machine.
export ADDRESS_STYLE=local

# The real cluster's kubectl where it was built, else the machine's.
find_kubectl() {
  local program
  for program in "$cluster/bin/kubectl" "$cache"/bin-*/kubectl; do
    [[ ! -x $program ]] || { echo "$program"; return; }
  done
  command -v kubectl || die "kubectl is missing: run $here/cluster/build, or install it"
}

# What stands for the images' programs: replicas run on this machine and find them on its PATH.
link_programs() {
  local applet
  for applet in nc ping; do ln -s "$(command -v busybox)" "$work/bin/$applet"; done
  link_python
  ln -s "$(find_kubectl)" "$work/bin/kubectl"
}

# The Python that has Debian's torch, or the one of a virtual environment: it finds its packages by its own path.
link_python() {
  local python=/usr/bin/python3
  [[ $scenario != */scenarios-tensorflow/* ]] || python=$(TRAINCTL_E2E_CACHE=$cache "$here/cluster/tensorflow-here")/bin/python3
  # shellcheck disable=SC2016 # for the script's own shell
  printf '#!/bin/sh\nexec %q "$@"\n' "$python" >"$work/bin/python3"
  chmod +x "$work/bin/python3"
}

# The cluster's files and its socket are below the scenario's folder: it is nobody else's.
prepare_local() {
  (umask 077 && mkdir "$work"/{state,runtime})
  export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/runtime
  link_programs
}

# kubectl sends JSON, since the embedded cluster reads nothing else and publishes no schemas.
wrap_kubectl() {
  local program
  program=$(readlink -f "$work/bin/kubectl")
  rm "$work/bin/kubectl"
  # shellcheck disable=SC2016 # for the script's own shell
  printf '#!/bin/sh\n[ "$1" != create ] || { shift; set -- create --validate=false "$@"; }\nexec %q "$@"\n' "$program" >"$work/bin/kubectl"
  chmod +x "$work/bin/kubectl"
}

# Without GPUs, whatever this machine has, as the real cluster's node is. The scenarios' kubectl, and trainctl without
# --local, come over a relay to the cluster's socket.
cluster_up() {
  local deadline=$((SECONDS + 60))
  prepare_local
  wrap_kubectl
  trainctl local up --local-gpus 0
  python3 -I "$here/relay.py" "$XDG_RUNTIME_DIR/trainctl/local.sock" >"$work/relay" 2>"$work/relay.err" &
  relay=$!
  until [[ -s $work/relay ]]; do
    ((SECONDS < deadline)) || die "the relay does not start: $(<"$work/relay.err")"
    sleep 0.05
  done
  export KUBECONFIG=$work/kubeconfig
  cat >"$KUBECONFIG" <<END
apiVersion: v1
kind: Config
clusters: [{name: embedded, cluster: {server: "$(<"$work/relay")"}}]
users: [{name: embedded, user: {}}]
contexts: [{name: embedded, context: {cluster: embedded, user: embedded}}]
current-context: embedded
END
  make_namespace
}

# Processes whose environment names the scenario's folder: its daemon, guards and replicas, and what these
# have started. What looks has no environment itself.
processes_left() {
  local place
  for place in $(env -i "$(command -v grep)" -lzF -- "$work/home" /proc/[0-9]*/environ 2>/dev/null); do
    place=${place%/environ}
    printf '%s %s\n' "${place#/proc/}" "$(tr '\0' ' ' <"$place/cmdline" 2>/dev/null)"
  done
}

# A process that was asked to end may need a moment.
cluster_down() {
  [[ ! ${relay:-} ]] || kill "$relay" 2>/dev/null || true
  local left deadline=$((SECONDS + 100))
  trainctl local down >/dev/null || { tail -n 20 "$XDG_STATE_HOME/trainctl/local/daemon.log"; return 1; } >&2
  until left=$(processes_left) && [[ ! $left ]]; do
    ((SECONDS < deadline)) || { printf 'FAILED: left behind by the embedded cluster:\n%s\n' "$left" >&2; return 1; }
    sleep 0.2
  done
}
