# A user could begin a job but not see it through: to its verdict, its log, its state and its end.
# shellcheck shell=bash

run trainctl submit-pytorch --name story --workers=0 --restart-policy Never -i "$BUSYBOX" --follow --command -- sh -c 'echo once upon a time; sleep 1; exit 9'
expect_exit 3
expect_out '^once upon a time$'
expect_err 'master-0 exited 9'

run trainctl wait story
expect_exit 3
run trainctl get story -o json
expect_exit 0
expect_equal 'the phase' "$(jq -r .phase <<<"$OUT")" Failed
run trainctl get
expect_exit 0
expect_out '^story +PyTorchJob +Failed '
run trainctl logs story
expect_exit 0
expect_equal 'the log' "$OUT" 'once upon a time'

run trainctl logs -f nosuch
expect_exit 5
expect_err 'nosuch'
run trainctl submit-pytorch --name story --workers=0 -i "$BUSYBOX"
expect_exit 6

run trainctl delete story
expect_exit 0
job_gone pytorchjob/story || fail 'the job still exists'
