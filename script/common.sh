# Shared by the scripts of this folder: the tree's root, messages with elapsed time, Go on the PATH.
# shellcheck shell=bash disable=SC2034 # the names below are for those who source this

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
cluster=$root/tests/e2e/cluster
build=$root/build/dev
script_start=$EPOCHREALTIME

# Go's own installer puts Go there, but not on the PATH. script/bootstrap puts the one it fetched into the cache, which
# is only there where no other was new enough.
go_cache=${XDG_CACHE_HOME:-$HOME/.cache}/trainctl-go
[[ ! -x /usr/local/go/bin/go ]] || PATH=$PATH:/usr/local/go/bin
[[ ! -x $go_cache/go/bin/go ]] || PATH=$go_cache/go/bin:$PATH

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# Seconds since a moment in EPOCHREALTIME's form, with one decimal.
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# phase TITLE CMD…: runs CMD and says how long it took and how long the script has run.
phase() {
  local title=$1 start=$EPOCHREALTIME code=0
  shift
  say "== $title"
  "$@" </dev/null || code=$?
  if ((code != 0)); then
    say "== $title FAILED after $(seconds_since "$start") s"
    exit "$code"
  fi
  say "== $title: $(seconds_since "$start") s (total $(seconds_since "$script_start") s)"
}

# build_preset PRESET [CMAKE_FLAG…]: configures and builds into build/PRESET.
build_preset() {
  local preset=$1
  shift
  phase "configure ($preset)" cmake --preset "$preset" "$@" >&2
  phase "build ($preset)" cmake --build --preset "$preset" >&2
}

# The test cluster: where its programs and images are kept, and where it runs.
cluster_cache=${TRAINCTL_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trainctl-e2e}
cluster_run=${TRAINCTL_E2E_DIR:-$cluster_cache/run}

require_root() {
  ((EUID == 0)) || die "script/${0##*/} needs root: the test cluster starts containers (try: sudo -E $0)"
}

# build_cluster [--tensorflow | --mpi]: takes minutes the first time and no time later; afterwards `up` only starts it.
# shellcheck disable=SC2120 # most callers want the plain images
build_cluster() {
  phase 'build the test cluster' "$cluster/build" >&2
  phase 'make the test images' "$cluster/images" "$@" >/dev/null
}

# build_controllers --all | NAME…: those of the cluster's variants with Trainer v2 and Kueue; minutes the first time, too.
build_controllers() { phase 'build the controllers' "$cluster/beyond/build" "$@" >&2; }
