# A silent job would be deleted, and its cause with it, since nobody could see which replica keeps the others waiting.
# clusters: local (stops a process of this machine by a signal)
# shellcheck shell=bash

cat >"$WORK/silent.py" <<'PROGRAM'
import os, socket, sys, time

def load_shard():
    time.sleep(600)

def read_input():
    open(sys.argv[2]).read()

def all_reduce():
    ours, theirs = socket.socketpair()
    ours.recv(1)

def step(mode):
    if mode == "computes":
        while True:
            pass
    if os.environ["RANK"] == "1" and mode == "sleeps":
        load_shard()
    if os.environ["RANK"] == "1" and mode == "reads":
        read_input()
    all_reduce()

step(sys.argv[1])
PROGRAM
mkfifo "$WORK/input"

# The stacks need py-spy, which a machine may not be able to fetch.
stacks=yes
if ! { python3 -m venv "$WORK/venv" && "$WORK/venv/bin/pip" install -q py-spy; } >/dev/null 2>&1; then
  echo 'notice: py-spy cannot be installed here, so stacks are not tried'
  stacks=''
fi

# submit NAME MODE: four replicas that soon print nothing for ever.
submit() {
  PATH=$WORK/venv/bin:$PATH run trainctl submit-pytorch --local --name "$1" --workers 3 -- python3 "$WORK/silent.py" "$2" "$WORK/input"
  expect_exit 0
  run trainctl wait --local "$1" --for=running --timeout 60s
  expect_exit 0
}
# sees REGEX NAME: doctor's screen has such a line.
sees() { trainctl doctor --local "$2" 2>/dev/null | grep -Eq -- "$1"; }
remove() {
  run trainctl delete --local "$1"
  expect_exit 0
}

submit asleep sleeps
if [[ $stacks ]]; then
  await 'the sleeper is found' 10 sees '^asleep: 3 of 4 ranks wait in all_reduce \(likely\)$' asleep
  run trainctl doctor --local asleep
  expect_exit 0
  expect_out '^✗ rank 1 worker-0 on .*: silent.py:4 load_shard \(state S, .*sleep.*\)$'
  expect_out '^  3 ranks: silent.py:11 all_reduce$'
  expect_out '^next: trainctl exec --local -it asleep/worker-0 -- sh$'
else
  await 'the sleeper is found' 10 sees '^✗ rank 1 worker-0 on .*: sleeps' asleep
fi
# A py-spy of the user's needs none on the PATH of a replica.
cat >"$WORK/spy" <<'PROGRAM'
#!/bin/sh
printf 'Thread %s (idle): "MainThread"\n    from_a_file (mine.py:7)\n' "$5"
PROGRAM
run trainctl doctor --local asleep/worker-0 --py-spy "$WORK/spy"
expect_exit 0
expect_out 'this machine cannot run the file of --py-spy'
chmod +x "$WORK/spy"
run trainctl doctor --local asleep/worker-0 --py-spy "$WORK/spy"
expect_exit 0
expect_out 'rank 1: mine.py:7 from_a_file'
run trainctl doctor --local asleep --py-spy "$WORK/none"
expect_exit 2
# Processes of other replicas, of the daemon and of doctor itself are not looked at.
run trainctl doctor --local asleep --save "$WORK/answers" -o json
expect_exit 0
expect_equal 'number of members' "$(jq '.members | length' <<<"$OUT")" 4
expect_equal 'number of answers' "$(find "$WORK/answers" -name '*.txt' | wc -l)" 4
for answer in "$WORK/answers"/*.txt; do
  expect_equal "processes in $answer" "$(grep -c ' process ' "$answer")" 1
done
pid=$(jq '.members[2].pid' <<<"$OUT")
kill -STOP "$pid"
await 'the stopped rank is found' 10 sees '^asleep: rank 2 is stopped' asleep
kill -CONT "$pid"

# Who follows the job reads of the silence, without asking.
run trainctl logs --local -f asleep --all --stall 2s --on-stall=doctor --timeout 8s
expect_exit 7
expect_err '^warning: asleep: no replica has printed anything for 2s$'
expect_err '^(✗ rank 1 worker-0 on|asleep: .*(wait|sleep))'
run trainctl logs --local -f asleep --stall 2s --on-stall=delete
expect_exit 7
expect_err 'job asleep is silent: master-0 has printed nothing for 2s; job asleep was deleted'
run trainctl get --local asleep
expect_exit 5

# A program that has faulthandler needs no py-spy. This one has a dump as PyTorch writes them besides.
cat >"$WORK/handled.py" <<'PROGRAM'
import faulthandler, os, pickle, signal, time
faulthandler.register(signal.SIGUSR1)
rank = os.environ["RANK"]

def call(number):
    return {"process_group": ("0", "default_pg"), "collective_seq_id": number, "is_p2p": False, "state": "started",
            "profiling_name": "nccl:all_reduce", "time_created_ns": time.time_ns(), "duration_ms": 0.5, "retired": number == 1}

with open(os.environ["TORCH_FR_DUMP_TEMP_FILE"] + rank, "wb") as dump:
    pickle.dump({"version": "2.4", "entries": [call(1)] if rank == "1" else [call(1), call(2)]}, dump, protocol=2)

def wait_for_ever():
    time.sleep(600)

wait_for_ever()
PROGRAM
run trainctl submit-pytorch --local --name handled --workers 1 --env TORCH_FR_DUMP_TEMP_FILE="$WORK/trace_" -- python3 "$WORK/handled.py"
expect_exit 0
run trainctl wait --local handled --for=running --timeout 60s
expect_exit 0
if ! command -v py-spy >/dev/null; then
  await '--signal is offered' 10 sees '^next: trainctl doctor --local handled --signal$' handled
  run trainctl doctor --local handled --signal
  expect_exit 0
  expect_err '^sending SIGUSR1 to rank 0 \(pid [0-9]+\), rank 1 \(pid [0-9]+\): each has a handler'
  expect_out '2 ranks: handled.py:13 wait_for_ever'
fi
run trainctl doctor --local handled
expect_exit 0
expect_out '^flight recorder: rank 1 never joined all_reduce #2 of process group 0 \(default_pg\) \(dumps of 2 of 2 ranks'
remove handled

submit reader reads
await 'the reader of a FIFO is found' 10 sees '^✗ rank 1 worker-0 on .*(read_input|reads a pipe)' reader
remove reader

submit busy computes
await 'all compute' 10 sees '^busy: all ranks compute: slow, not hung' busy
remove busy

run trainctl doctor --local busy
expect_exit 5
