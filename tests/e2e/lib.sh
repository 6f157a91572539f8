# The functions that scenarios use; sourced by run before the scenario.
# shellcheck shell=bash disable=SC2153 # run sets the names in capitals

# shellcheck source=SCRIPTDIR/rights.sh
source "$E2E/rights.sh"

OUT='' ERR='' CODE=0 LAST=''
admin_kubeconfig=${KUBECONFIG:-} # a scenario may switch to another one

# Ends the scenario with a message.
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# run CMD…: runs CMD to its end; its stdout is in $OUT, its stderr in $ERR, its exit status in $CODE.
run() {
  LAST="$*" CODE=running
  local code=0
  "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || code=$?
  collect "$code" "$WORK/out" "$WORK/err"
}

# start NAME CMD…: runs CMD in the background; finish NAME ends the wait for it.
start() {
  local name=$1
  shift
  # A signal may come before the child has made them.
  : >"$WORK/$name.out" 2>"$WORK/$name.err"
  "$@" >"$WORK/$name.out" 2>"$WORK/$name.err" </dev/null &
  echo "$!" >"$WORK/$name.pid"
  echo "$*" >"$WORK/$name.command"
}

# finish NAME: waits for the command started as NAME and sets $OUT, $ERR and $CODE as run does.
finish() {
  local code=0
  LAST=$(<"$WORK/$1.command") CODE=running
  wait "$(<"$WORK/$1.pid")" || code=$?
  rm "$WORK/$1.pid"
  cp "$WORK/$1.out" "$WORK/out"
  cp "$WORK/$1.err" "$WORK/err"
  collect "$code" "$WORK/out" "$WORK/err"
}

# collect CODE OUT_FILE ERR_FILE: makes the result of a command the one that the expectations look at.
collect() {
  CODE=$1
  OUT=$(tr -d '\0' <"$2")
  ERR=$(tr -d '\0' <"$3")
}

# The last command ended with this exit status.
expect_exit() { [[ $CODE == "$1" ]] || fail "exit status $CODE, expected $1"; }

# Some line of stdout (stderr) matches this extended regular expression.
expect_out() { grep -Eq -- "$1" <<<"$OUT" || fail "no line of stdout matches: $1"; }
expect_err() { grep -Eq -- "$1" <<<"$ERR" || fail "no line of stderr matches: $1"; }

# No line of stdout (stderr) matches this extended regular expression.
refute_out() { ! grep -Eq -- "$1" <<<"$OUT" || fail "a line of stdout matches: $1"; }
refute_err() { ! grep -Eq -- "$1" <<<"$ERR" || fail "a line of stderr matches: $1"; }

# expect_lines N REGEX: exactly N lines of stdout match.
expect_lines() {
  local count
  count=$(grep -Ec -- "$2" <<<"$OUT") || true
  ((count == $1)) || fail "$count lines of stdout match, expected $1: $2"
}

# expect_equal WHAT ACTUAL EXPECTED
expect_equal() { [[ $2 == "$3" ]] || fail "$1 is '$2', expected '$3'"; }

# await DESCRIPTION SECONDS CMD…: repeats CMD until it succeeds.
await() {
  local description=$1 deadline=$((SECONDS + 10 * $2))
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS <= deadline)) || fail "not even after ten times the time of an idle machine: $description"
    sleep 0.2
  done
}

# create KIND NAME…: as kubectl's, but in JSON: what kubectl itself would send is known to the real cluster only.
create() { kubectl create "$@" --dry-run=client -o json | kubectl create -f - >/dev/null; }

# The job (pytorchjob/NAME, tfjob/NAME …) exists.
job_exists() { kubectl get "$1" >/dev/null 2>&1; }
job_gone() { ! job_exists "$1"; }

# job_is JOB CONDITION: the job has this condition (Running, Succeeded, Failed …).
job_is() { [[ $(kubectl get "$1" -o jsonpath="{.status.conditions[?(@.type=='$2')].status}") == True ]]; }

# The unique id of a job, to distinguish it from a namesake.
job_uid() { kubectl get "$1" -o jsonpath='{.metadata.uid}'; }

# log_has POD REGEX: the pod's log has a line that matches, for instance once its program has begun.
log_has() { kubectl logs "$1" 2>/dev/null | grep -Eq -- "$2"; }

# The process that serves the embedded cluster now.
daemon_pid() { awk '{ print $1; exit }' "$XDG_STATE_HOME/trainctl/local/daemon.lock"; }

# address SERVICE [PORT]: a regular expression for what a replica learns of another one's address, or of its name.
address() {
  if [[ $ADDRESS_STYLE == local ]]; then
    printf '127\\.0\\.0\\.1%s' "${2:+:[0-9]+}"
  else
    printf '%s%s' "$1" "${2:+\\.$NAMESPACE\\.svc:$2}"
  fi
}

# The kinds of jobs that the cluster has, and of what is made for them, pods included.
kinds_of_jobs() { kubectl api-resources --namespaced --verbs=list -o name | grep -E '^pods$|(kubeflow\.org|x-k8s\.io)$' | paste -sd,; }

# What is reported of a scenario that did not succeed: the last command and what it said, then the cluster's view.
report() {
  local name KUBECONFIG=$admin_kubeconfig
  printf '\n--- last command (exit status %s): %s\n' "$CODE" "$LAST"
  printf -- '--- its stdout, the last 60 lines\n%s\n' "$(tail -n 60 "$WORK/out" 2>/dev/null)"
  printf -- '--- its stderr, the last 60 lines\n%s\n' "$(tail -n 60 "$WORK/err" 2>/dev/null)"
  for name in "$WORK"/*.pid; do
    [[ -e $name ]] || continue
    name=$(basename "$name" .pid)
    printf -- '--- still running: %s\n%s\n%s\n' "$(<"$WORK/$name.command")" "$(tail -n 20 "$WORK/$name.out")" "$(tail -n 20 "$WORK/$name.err")"
  done
  if [[ $E2E_CLUSTER != real ]]; then
    printf -- '--- log of the daemon\n'
    tail -n 20 "$XDG_STATE_HOME/trainctl/local/daemon.log"
  fi
  [[ $KUBECONFIG ]] || return 0
  printf -- '--- jobs, pods and events of %s\n' "$NAMESPACE"
  kubectl get "$(kinds_of_jobs)" -o wide
  kubectl get events --sort-by=.metadata.creationTimestamp | tail -n 40
} >&2

# No program of ours leaves anything in the temporary directory, however it ends.
nothing_left() {
  local left
  left=$(ls -A "$TMPDIR")
  [[ ! $left ]] || { printf 'FAILED: left in the temporary directory: %s\n' "$left" >&2; return 1; }
}

at_end() {
  local code=$? pid
  ((code != 0)) || nothing_left || code=1
  ((code == 0)) || report || true
  for pid in "$WORK"/*.pid; do
    [[ ! -e $pid ]] || kill "$(<"$pid")" 2>/dev/null || true
  done
  exit "$code"
}
trap at_end EXIT
trap 'fail "the time is over"' TERM
