# A pipeline whose network goes away would hang beyond its limit, or end without its reports.
# clusters: embedded (a relay of the scenario's own leads to it)
# shellcheck shell=bash

RANDOM=${E2E_CUTS_SEED:-51}
limit=5 more=10 # seconds
# shellcheck disable=SC2016 # the variables are the pod's
ticks='i=0; while :; do i=$((i+1)); echo "tick $i"; sleep 0.1; done'
run trainctl submit-pytorch --name busy --workers=0 -i "$BUSYBOX" --command -- sh -c "$ticks"
expect_exit 0

# lead NUMBER: a relay to the cluster, and a kubeconfig that names it.
lead() {
  /usr/bin/python3 -I "$E2E/relay.py" "$XDG_RUNTIME_DIR/trainctl/local.sock" >"relay.$1" &
  echo "$!" >"$WORK/relay.$1.pid" # at the end of the scenario, it ends
  echo "relay $1" >"$WORK/relay.$1.command"
  await "relay $1" 10 test -s "relay.$1"
  sed "s|server: .*|server: $(<"relay.$1")|" "$KUBECONFIG" >"config.$1"
}

# cut_off NUMBER HOW: the network of this number is lost. STOP: it takes bytes and answers nothing; KILL: it refuses them.
cut_off() { kill "-$2" "$(<"$WORK/relay.$1.pid")"; }

# line WHAT NUMBER: sets `words`, the command of this number, and whether it writes reports.
line() {
  local name=cut-$2 submit=(submit-pytorch --name "cut-$2" --workers=0 -i "$BUSYBOX" --follow --on-give-up=delete --on-interrupt=cancel)
  reports=(--result-file "result.$2.json" --junit "junit.$2.xml")
  case $1 in
    submit) words=("${submit[@]}" "${reports[@]}" --command -- sh -c "$ticks") ;;
    follow) words=(logs -f busy "${reports[@]}") ;;
    wait) words=(wait busy "${reports[@]}") ;;
    array) words=("${submit[@]}" --array x=1-3 -e "X={x}" "${reports[@]}" --command -- sh -c "$ticks") ;;
    retry) words=("${submit[@]}" --restart-policy Never --retry 3 --retry-on any "${reports[@]}" --command -- sh -c 'sleep 0.5; exit 1') ;;
    delete)
      reports=()
      words=(delete "$name" --wait)
      trainctl submit-pytorch --name "$name" --workers=0 -i "$BUSYBOX" --command -- sh -c "trap '' TERM; $ticks" >/dev/null 2>&1
      ;;
  esac
}

# attempt NUMBER WHAT END HOW MOMENT: one command, whose network is lost at that moment, and which ends by --timeout or by a signal.
attempt() {
  local words reports code=0 began=$SECONDS
  line "$2" "$1"
  [[ $3 != timeout ]] || words=("${words[0]}" --timeout "${limit}s" "${words[@]:1}")
  (sleep "$5" && cut_off "$1" "$4") &
  # shellcheck disable=SC2016 # the shell's own
  KUBECONFIG=config.$1 timeout --kill-after="$more" --signal=TERM "$([[ $3 == timeout ]] && echo $((limit + more)) || echo "$limit")" \
    trainctl "${words[@]}" >"out.$1" 2>"err.$1" </dev/null || code=$?
  local said
  said="$(printf '%3d %-7s %-8s %s at %ss: %s after %ss' "$1" "$2" "$3" "$4" "$5" "$code" "$((SECONDS - began))")"
  echo "$said" >>cuts.log
  # 124: still there when its limit and ten seconds were over. 137: that long after the signal.
  case $3:$code in
    timeout:124 | *:137) echo "$said: not ended" >>failed.log ;;
    *:2) echo "$said: $(head -n 1 "err.$1")" >>failed.log ;;
  esac
  for report in "${reports[@]}"; do
    [[ $report == --* || -s $report ]] || echo "$said: no $report" >>failed.log
  done
}

kinds=(submit follow wait delete array retry) ends=(timeout signal) hows=(STOP KILL)
for number in {1..30}; do lead "$number"; done
running=()
for number in {1..30}; do
  attempt "$number" "${kinds[number % 6]}" "${ends[number / 6 % 2]}" "${hows[RANDOM % 2]}" "$((RANDOM % 5)).$((RANDOM % 10))" &
  running+=("$!")
  ((number % 3 != 0)) || { wait "${running[@]}"; running=(); }
done
cat cuts.log
[[ ! -s failed.log ]] || fail "$(<failed.log)"
