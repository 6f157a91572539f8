# A user whose job prints much for long would lose the lines that the node has rotated away.
# clusters: real (the embedded one keeps whole logs)
# shellcheck shell=bash

# 1.4 MB each second, for 25 seconds: the node looks every ten, and rotates what is above ten megabytes.
# shellcheck disable=SC2016 # awk's own variables
program='awk "BEGIN { while (n < 350000) { for (i = 0; i < 1400; i++) printf \"line %06d %088d\n\", ++n, 0; fflush(); system(\"sleep 0.1\") } }"'

# whole FILE: every line, once and in order.
whole() { cut -c 1-11 "$1" | cmp -s - <(seq -f 'line %06g' 350000); }

whole_lines() { grep -xE 'line [0-9]{6} 0{88}' "$WORK/follower.out"; }

# followed NAME: false when lines are missing, and that was reported.
followed() {
  trainctl submit-pytorch --name "$1" --workers=0 --restart-policy Never -i "$BUSYBOX" -q --command -- sh -c "$program"
  start follower trainctl logs -f "$1"
  await 'the job prints' 60 grep -q . "$WORK/follower.out"
  finish follower
  expect_exit 0
  kubectl logs "$1-master-0" >"$WORK/kept"
  (($(wc -l <"$WORK/kept") < 350000)) || fail 'the node has not rotated the log: this shows nothing'
  if whole "$WORK/follower.out"; then return 0; fi
  # Where lines are missing, one may be cut in two.
  whole_lines | sort -c -u || fail 'lines are doubled or out of order'
  (($(wc -l <"$WORK/follower.out") - $(whole_lines | wc -l) < 10)) || fail 'many lines are cut'
  expect_err "possible gap in the log of $1-master-0"
  return 1
}

# A node that is short of time reads more slowly than the job writes, each stream for itself, and leaps over a file that
# it rotates meanwhile.
for attempt in 1 2 3; do
  # shellcheck disable=SC2310 # what fails in it ends the scenario
  if followed "wordy-$attempt"; then exit 0; fi
done
fail 'lines are missing in each of three runs'
