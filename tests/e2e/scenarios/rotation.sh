# A user whose job prints much for long would lose the lines that the node has rotated away.
# clusters: real (the embedded one keeps whole logs)
# shellcheck shell=bash

# 1.4 MB each second, for 25 seconds: the node looks every ten, and rotates what is above ten megabytes.
# shellcheck disable=SC2016 # awk's own variables
program='awk "BEGIN { while (n < 350000) { for (i = 0; i < 1400; i++) printf \"line %06d %088d\n\", ++n, 0; fflush(); system(\"sleep 0.1\") } }"'

run trainctl submit-pytorch --name wordy --workers=0 --restart-policy Never -i "$BUSYBOX" -q --command -- sh -c "$program"
expect_exit 0
code=0
trainctl logs -f wordy >"$WORK/wordy" 2>"$WORK/err" || code=$?
expect_equal 'the exit status' "$code" 0
cut -c 1-11 "$WORK/wordy" | cmp - <(seq -f 'line %06g' 350000) || fail 'lines are missing, doubled or out of order'
kubectl logs wordy-master-0 >"$WORK/kept"
(($(wc -l <"$WORK/kept") < 350000)) || fail 'the node has not rotated the log: this shows nothing'
