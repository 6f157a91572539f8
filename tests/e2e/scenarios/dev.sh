# A user would have no shell beside the GPUs, or leave a job behind that holds them.
# shellcheck shell=bash

mkdir "$WORK/code"
echo 'echo "it is $1"' >"$WORK/code/say.sh"
cd "$WORK/code"

# One replica with the code in it, gone when the shell has ended; its status is that of the shell.
run sh -c "printf 'sh say.sh here; echo world \$WORLD_SIZE; exit 4\n' | trainctl dev pytorch --name lab -i $BUSYBOX --code ."
expect_exit 4
expect_out '^it is here$'
expect_out '^world 1$'
expect_err 'lab deleted$'
expect_err 'dev works in a copy of \.'
run trainctl get lab
expect_exit 5

# Edits in the copy come home, beside an edit that was made here meanwhile, and are named where nobody asked for them.
edits="echo 'echo there' >say.sh; mkdir lib; echo new >lib/new.sh; echo 'echo here' >'$WORK/code/say.sh'"
[[ $E2E_CLUSTER == embedded ]] || edits="echo 'echo there' >say.sh; mkdir lib; echo new >lib/new.sh"
run trainctl dev -i "$BUSYBOX" --name edited --code . -- sh -c 'echo more >>say.sh'
expect_exit 0
expect_err '1 changed file in .* will be deleted with the job: say.sh'
expect_equal 'the file here' "$(<say.sh)" 'echo "it is $1"'
run trainctl dev -i "$BUSYBOX" --name edited --code . --sync-back -- sh -c "$edits"
expect_exit 0
expect_err 'edited deleted$'
expect_equal 'the new file' "$(<lib/new.sh)" new
if [[ $E2E_CLUSTER == embedded ]]; then
  expect_equal 'what was edited here' "$(<say.sh)" 'echo here'
  expect_equal 'what was edited there' "$(<say.sh.from-edited-master-0)" 'echo there'
  rm say.sh.from-edited-master-0
else
  expect_equal 'what was edited there' "$(<say.sh)" 'echo there'
fi
echo 'echo "it is $1"' >say.sh

# Ports lead there while it is used, and nothing is created when one is taken.
serve='python3 -m http.server --bind 127.0.0.1'
[[ $E2E_CLUSTER == embedded ]] || serve='httpd -f -p'
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
start server trainctl dev -i "$BUSYBOX" --name web --forward ":$port" -- sh -c "echo page >page; exec $serve $port"
local_port() { sed -n "s/^127.0.0.1:\([0-9]*\) -> web.*/\1/p" "$WORK/server.err"; }
await 'the port is named' 60 eval '[[ $(local_port) ]]'
await 'the page is served' 30 eval 'curl -sf "http://127.0.0.1:$(local_port)/page" | grep -q page'
run trainctl dev -i "$BUSYBOX" --name more --forward "$(local_port):80"
expect_exit 1
run trainctl get more
expect_exit 5

# A signal ends it, and the job with it.
kill -TERM "$(<"$WORK/server.pid")"
finish server
expect_exit 143
expect_err 'web deleted$'
run trainctl get web
expect_exit 5

# Who asks for it keeps it, with a limit, and is told how to return.
run trainctl dev -i "$BUSYBOX" --name kept --code . --keep -- true
expect_exit 0
expect_err 'trainctl exec .*-it kept -- sh'
expect_equal 'the limit' "$(kubectl get pytorchjob kept -o jsonpath='{.spec.runPolicy.activeDeadlineSeconds}')" 86400
run trainctl exec kept -- sh say.sh again
expect_exit 0
expect_out '^it is again$'
run trainctl delete kept --yes
expect_exit 0

# What cannot start is not left behind.
if [[ $E2E_CLUSTER == real ]]; then
  run trainctl dev --name wrong -i trainctl.test/nothing:1 --image-pull-policy Never --start-timeout 5s
  expect_exit 9
  run trainctl get wrong
  expect_exit 5
fi
