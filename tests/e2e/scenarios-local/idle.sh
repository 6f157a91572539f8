# The daemon would stay for ever, end under a running training, or forget everything when it ends.
# clusters: local (waits for the daemon's end)
# shellcheck shell=bash

ended() { [[ ! -e /proc/$1 ]]; }

run trainctl local up --idle 1s
expect_exit 0
first=$(daemon_pid)
run trainctl submit-pytorch --local --name short --workers=0 -- sh -c 'sleep 4; echo done'
expect_exit 0
sleep 3
[[ -e /proc/$first ]] || fail 'the daemon ended while a replica ran'
await 'the idle daemon ends' 15 ended "$first"

run trainctl get --local
expect_exit 0
expect_out '^short .*Succeeded'
run trainctl logs --local short
expect_out '^done$'
[[ $(daemon_pid) != "$first" ]] || fail 'no other daemon'
