# A user could not look into a replica, or would lose what passes through a command in it: bytes, its end, its status.
# shellcheck shell=bash disable=SC2016 # the inner shells expand their own

cat >"$WORK/job.yaml" <<END
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ddp}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          terminationGracePeriodSeconds: 0
          containers:
          - name: pytorch
            image: $BUSYBOX
            stdin: true
            command: [sh, -c, 'while read -r line; do echo "heard \$line"; done; sleep 100000']
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          terminationGracePeriodSeconds: 0
          containers:
          - {name: pytorch, image: $BUSYBOX, command: [sleep, "100000"]}
END
run trainctl submit "$WORK/job.yaml"
expect_exit 0
# Until its pods run, each refusal has a status of the contract: no pod (5), or one that does not run yet (9).
run trainctl exec ddp -- true
# shellcheck disable=SC2153 # run sets it
case $CODE in 0 | 5 | 9) ;; *) fail "status $CODE of a replica that does not run yet" ;; esac
all_run() { [[ $(kubectl get pods --field-selector=status.phase=Running -o name | wc -l) == 3 ]]; }
await 'all replicas run' 90 all_run

# Exit statuses, streams and arguments.
run trainctl exec ddp/worker-1 -- sh -c 'echo out; echo err >&2; exit 7'
expect_exit 7
expect_equal stdout "$OUT" out
expect_equal stderr "$ERR" err
run trainctl exec ddp --rank 1 -- sh -c 'kill -9 $$'
expect_exit 137
run trainctl exec ddp/worker-0 -- printf '%s|' 'a b' ';' '&#+%' "it's" ''
expect_exit 0
expect_equal arguments "$OUT" "a b|;|&#+%|it's||"
run trainctl exec ddp -- sh -c 'echo "$HOSTNAME"'
expect_exit 0
expect_equal leader "$OUT" ddp-master-0
expect_err 'master-0, one of 3 replicas'

# Bytes both ways, with the end of stdin: a command that reads to the end would hang without it.
head -c 20971520 /dev/urandom >"$WORK/bytes"
trainctl exec -i ddp/worker-0 -- cat <"$WORK/bytes" >"$WORK/back" || fail "cat ended with $?"
cmp "$WORK/bytes" "$WORK/back" || fail 'the bytes came back changed'
sum=$(trainctl exec -i ddp/worker-0 -- sha256sum <"$WORK/bytes")
expect_equal 'checksum of what arrived' "${sum%% *}" "$(sha256sum <"$WORK/bytes" | cut -d' ' -f1)"
count=$(printf 'one\ntwo' | trainctl exec -i ddp/worker-0 -- wc -c)
expect_equal 'bytes of a pipe' "$count" 7
# A slow reader gets all of it.
slow=$(trainctl exec ddp/worker-0 -- head -c 3000000 /dev/zero | { sleep 2; wc -c; })
expect_equal 'bytes for a slow reader' "$slow" 3000000
# A reader that goes away ends the command here.
code=0
timeout 20 bash -o pipefail -c 'trainctl exec ddp/worker-0 -- yes | head -n 1 >/dev/null' || code=$?
expect_equal 'status after the reader has gone' "$code" 141

# Everywhere.
run trainctl exec ddp --all -- sh -c 'echo "$HOSTNAME"'
expect_exit 0
expect_lines 1 '^\[master-0\] ddp-master-0$'
expect_lines 1 '^\[worker-1\] ddp-worker-1$'
run trainctl exec ddp --all -- sh -c '[ "$HOSTNAME" != ddp-worker-1 ] || exit 4'
expect_exit 4
expect_err 'failed in 1 of 3 replicas: worker-1 \(4\)'

# What is not there.
run trainctl exec ddp/worker-7 -- true
expect_exit 5
run trainctl exec ddp/worker-0 -c sidecar -- true
expect_exit 5
expect_err 'containers: .*pytorch'
run trainctl exec ddp/worker-0 -- no-such-shell
expect_exit 5
expect_err 'no-such-shell: not found in PATH'
run trainctl exec ddp/worker-0 -- /no/such
expect_exit 5
expect_err '/no/such: no such file'

# A program that listens.
start heard trainctl attach ddp/master-0
heard() { printf 'hello\n' | timeout 3 trainctl attach -i ddp/master-0 >/dev/null; grep -q 'heard hello' "$WORK/heard.out"; }
await 'what another types is heard, and its answer shown' 30 heard
kill -INT "$(<"$WORK/heard.pid")"
finish heard
expect_exit 130

# Rights for the job and its pods, and none to run anything in them.
if [[ $E2E_CLUSTER == real ]]; then
  grant "$NAMESPACE" reader <<'END'
- {apiGroups: [kubeflow.org], resources: ["*"], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [pods], verbs: [get, list, watch]}
END
  kubeconfig_of reader "$NAMESPACE" "$WORK/reader"
  run trainctl exec --kubeconfig "$WORK/reader" pytorch/ddp/worker-0 -- true
  expect_exit 4
  expect_err 'pods/exec'
fi

# kubectl finds the same: streams, arguments, the end of stdin, exit statuses, and the words of refusals.
if [[ $E2E_CLUSTER == real ]]; then
  run kubectl exec ddp-worker-1 -- sh -c 'echo out; echo err >&2; exit 7'
  expect_exit 7
  expect_equal 'stdout of kubectl' "$OUT" out
  expect_err '^err$'
  sum=$(kubectl exec -i ddp-worker-0 -- sha256sum <"$WORK/bytes")
  expect_equal 'checksum of what kubectl sent' "${sum%% *}" "$(sha256sum <"$WORK/bytes" | cut -d' ' -f1)"
  run kubectl exec ddp-worker-0 -c sidecar -- true
  expect_exit 1
  expect_err 'container sidecar is not valid for pod ddp-worker-0'
  run kubectl exec ddp-worker-0 -- no-such-shell
  expect_exit 1
  expect_err 'executable file not found in \$PATH'
fi

# A terminal of 33 lines and 101 columns, then of another size; afterwards it is as before.
tmux=(tmux -L "exec-$$" -f /dev/null)
"${tmux[@]}" new-session -d -x 101 -y 33 "stty -a >$WORK/before; trainctl exec -it ddp/worker-0 -- sh; echo \$? >$WORK/code; stty -a >$WORK/after; sleep 100"
screen_has() { "${tmux[@]}" capture-pane -p | grep -Eq -- "$1"; }
await 'the shell has a prompt' 30 screen_has '[#$] *$'
"${tmux[@]}" send-keys 'stty size' Enter
await 'the size is known there' 20 screen_has '^33 101'
"${tmux[@]}" resize-window -x 90 -y 20
size_is() { "${tmux[@]}" send-keys 'stty size' Enter && sleep 0.3 && screen_has "$1"; }
await 'a new size is passed on' 20 size_is '^20 90'
"${tmux[@]}" send-keys 'echo begun; cat' Enter
await 'the program has begun' 20 screen_has '^begun'
"${tmux[@]}" send-keys 'typed' Enter
typed_twice() { [[ $("${tmux[@]}" capture-pane -p | grep -c '^typed$') == 2 ]]; }
await 'the program has what was typed' 20 typed_twice
"${tmux[@]}" send-keys C-c
await 'Ctrl-C has ended it there' 20 screen_has '[\^]C'
"${tmux[@]}" send-keys 'echo still; exit 5' Enter
await 'the shell has ended' 20 test -s "$WORK/code"
expect_equal 'status of the shell' "$(<"$WORK/code")" 5
await 'the terminal is described' 10 test -s "$WORK/after"
expect_equal 'settings of the terminal' "$(sed 's/rows [0-9]*; columns [0-9]*//' "$WORK/after")" \
  "$(sed 's/rows [0-9]*; columns [0-9]*//' "$WORK/before")"
"${tmux[@]}" kill-server

# SIGTERM restores the terminal as well.
script -qec "stty -a >$WORK/t1; timeout --foreground 3 trainctl exec -it ddp/worker-0 -- sleep 1000; echo \$? >$WORK/t2; stty -a >$WORK/t3" /dev/null </dev/null >/dev/null
cmp "$WORK/t1" "$WORK/t3" || fail 'the terminal stays raw after SIGTERM'

# Sessions leave nothing behind.
for ((i = 0; i < 20; i++)); do trainctl exec ddp/worker-0 -- true || fail "session $i ended with $?"; done
