# The daemons of a run directory: start them, wait for them, stop them; sourced by up and down.
# shellcheck shell=bash disable=SC2154 # $dir comes from those who source this

begin=$EPOCHREALTIME

# When process PID was started, in clock ticks since boot, which distinguishes it from a later one with the same
# pid; nothing for a process that has ended, even if nobody has collected it yet.
start_ticks() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# The pid of daemon NAME of the run directory $dir, if it is still that very process.
pid_of() {
  local pid ticks
  read -r pid ticks 2>/dev/null <"$dir/pids/$1" || return 1
  [[ -n $ticks && $(start_ticks "$pid") == "$ticks" ]] && echo "$pid"
}

# start NAME CMD…: a daemon that outlives this script: its own session, its own log, none of our files,
# nor our temporary directory, and the signals that bash ignores for background jobs as they were, since containers
# inherit them.
# It runs in the cluster's network. What it was started with is kept for `restart`.
start() {
  local name=$1 pid
  shift
  printf '%s\0' "$@" >"$dir/config/$name.command"
  (
    cd "$dir" || exit
    exec </dev/null >"$dir/logs/$name.log" 2>&1
    for fd in /proc/self/fd/*; do
      fd=${fd##*/}
      ((fd <= 2)) || eval "exec $fd>&-"
    done
    exec env -u TMPDIR --default-signal=INT,QUIT nsenter --net="$dir/network" setsid "$@"
  ) &
  pid=$!
  echo "$pid $(start_ticks "$pid")" >"$dir/pids/$name"
}

# The cluster's network namespace, made when there is none (a restarted machine has none).
make_network() {
  ! mountpoint --quiet "$dir/network" || return 0
  touch "$dir/network"
  unshare --net="$dir/network" ip link set lo up
}

# Runs CMD in the cluster's network.
inside() { nsenter --net="$dir/network" "$@"; }

start_containerd() { start containerd containerd --config "$dir/config/containerd.toml"; }
ctr() { command ctr --address "$dir/containerd.sock" --namespace k8s.io "$@"; }

# ready NAME CMD…: waits until CMD succeeds; a daemon that ended, or a minute, is a failure.
ready() {
  local name=$1 deadline=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    if ! pid_of "$name" >/dev/null || ((SECONDS > deadline)); then
      say "  FAILED $name is not ready after $(seconds_since "$begin") s; the end of $dir/logs/$name.log:"
      tail -n 20 "$dir/logs/$name.log" >&2
      exit 1
    fi
    sleep 0.1
  done
  say "  $name ready after $(seconds_since "$begin") s"
}

# stop NAME…: asks the daemons to end, waits for all of them, and ends by force those that do not.
stop() {
  local name pid deadline
  for name in "$@"; do
    if pid=$(pid_of "$name"); then kill "$pid" || true; fi
  done
  for name in "$@"; do
    deadline=$((SECONDS + 5))
    while pid=$(pid_of "$name"); do
      ((SECONDS < deadline)) || kill -KILL "$pid" || true
      sleep 0.05
    done
    rm -f "$dir/pids/$name"
  done
}
