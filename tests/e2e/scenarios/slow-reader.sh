# A pager, or a pipe to something slow, would lose lines or hold up the verdict of a job that prints fast.
# shellcheck shell=bash

# shellcheck disable=SC2016 # awk's own variables
# Nine megabytes: more than the pipe and the memory that is set aside, less than the kubelet rotates at.
program='awk "BEGIN { for (i = 1; i <= 9000; i++) printf \"line %05d %01000d\n\", i, 0 }"'

# The reader begins when the job is over.
reader() {
  await 'the job has succeeded' 60 job_is pytorchjob/fast Succeeded
  cut -c 1-10 >"$WORK/lines"
}
trainctl submit-pytorch --name fast -i "$BUSYBOX" --follow --command -- sh -c "$program" 2>"$WORK/err" | reader
expect_equal 'exit status of trainctl and its reader' "${PIPESTATUS[*]}" '0 0'
seq -f 'line %05g' 9000 | cmp - "$WORK/lines" || fail 'lines are missing, doubled or out of order'
