# A user who tries a copy on this machine first would find that cp needs a real cluster, or changes the files.
# clusters: local (paths of this machine)
# shellcheck shell=bash

trainctl local up
run trainctl submit-pytorch --local --name ddp -- sleep 1000
expect_exit 0
running() { trainctl get ddp --local | grep -q Running; }
await 'the job runs' 60 running

mkdir -p "$WORK/tree/sub" "$WORK/there" "$WORK/back"
head -c 3000000 /dev/urandom >"$WORK/tree/model"
echo one >"$WORK/tree/sub/with space"
ln -s model "$WORK/tree/link"
chmod 750 "$WORK/tree/model"

run trainctl cp --local "$WORK/tree" "ddp:$WORK/there"
expect_exit 0
run trainctl cp --local "ddp:$WORK/there/tree" "$WORK/back"
expect_exit 0
diff -r --no-dereference "$WORK/tree" "$WORK/back/tree" || fail 'the directory came back changed'
expect_equal 'mode' "$(stat -c %a "$WORK/back/tree/model")" 750

run trainctl cp --local "ddp:$WORK/there/tree/model" "$WORK/back/model"
expect_exit 0
cmp "$WORK/tree/model" "$WORK/back/model" || fail 'the file came back changed'
# A link that the user names is followed; one to a device stays what it is.
ln -s model "$WORK/back/named"
ln -s /dev/null "$WORK/back/null"
run trainctl cp --local "ddp:$WORK/there/tree/sub/with space" "$WORK/back/named"
expect_exit 0
[[ -L $WORK/back/named && $(<"$WORK/back/model") == one ]] || fail 'the link was not followed'
run trainctl cp --local "ddp:$WORK/there/tree/model" "$WORK/back/null"
expect_exit 6
[[ -L $WORK/back/null ]] || fail 'the link to a device is gone'
# What no archive can hold is named.
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$WORK/tree/sub/door"
run trainctl cp --local "ddp:$WORK/tree/sub" "$WORK/back/with-socket"
expect_exit 1
expect_err 'left out: .*door: a socket'
expect_equal 'the file beside the socket' "$(<"$WORK/back/with-socket/with space")" one
run trainctl cp --local "ddp:$WORK/nothing" "$WORK/back"
expect_exit 5
run trainctl local down
expect_exit 0
