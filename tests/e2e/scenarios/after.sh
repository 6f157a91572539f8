# A job that starts before the one that makes its data would train on nothing; one that is forgotten would never start.
# shellcheck shell=bash

run trainctl submit-pytorch --name prep --workers=0 --restart-policy Never -i "$BUSYBOX" --command -- sleep 5
expect_exit 0
run trainctl submit-pytorch --name train --workers=0 --after-ok prep --follow -i "$BUSYBOX" --command -- echo trained
expect_exit 0
expect_out '^trained$'
expect_err 'waits for prep to succeed'
run trainctl get prep
expect_out 'Succeeded'

# Two clients follow the same job, and one of them starts it.
run trainctl submit-pytorch --name slow --workers=0 --restart-policy Never -i "$BUSYBOX" --command -- sleep 8
expect_exit 0
run trainctl submit-pytorch --name next --workers=0 --after slow -i "$BUSYBOX" --command -- echo next
expect_exit 0
expect_err 'only while a command follows it'
start one trainctl wait next
start two trainctl logs -f next
finish one
expect_exit 0
finish two
expect_exit 0
expect_out '^next$'

# What waits for a success that does not come is never started.
run trainctl submit-pytorch --name bad --workers=0 --restart-policy Never -i "$BUSYBOX" --command -- sh -c 'sleep 5; exit 1'
expect_exit 0
run trainctl submit-pytorch --name never --workers=0 --after-ok bad --wait -i "$BUSYBOX" --command -- echo never
expect_exit 9
expect_err 'never was not started: bad has failed'
run trainctl submit-pytorch --name nor --workers=0 --after-ok bad -i "$BUSYBOX"
expect_exit 6
run trainctl resume never
expect_exit 0
run trainctl logs -f never
expect_exit 0
expect_out '^never$'
