# A user whose job prints much for long would lose the lines that the node has rotated away, or not learn that some are gone.
# clusters: real (the embedded one keeps whole logs)
# timeout: 200
# shellcheck shell=bash

# 1.4 MB each second, for 25 seconds: the node looks every ten, and rotates what is above ten megabytes.
# shellcheck disable=SC2016 # awk's own variables
program='awk "BEGIN { while (n < 350000) { for (i = 0; i < 1400; i++) printf \"line %06d %088d\n\", ++n, 0; fflush(); system(\"sleep 0.1\") } }"'

# followed NAME: true when every line has come, once and in order. Lines may be missing only where that is said.
followed() {
  local code=0
  trainctl submit-pytorch --name "$1" --workers=0 --restart-policy Never -i "$BUSYBOX" -q --command -- sh -c "$program"
  trainctl logs -f "$1" >"$WORK/lines" 2>"$WORK/err" || code=$?
  expect_equal 'the exit status' "$code" 0
  kubectl logs "$1-master-0" >"$WORK/kept"
  (($(wc -l <"$WORK/kept") < 350000)) || fail 'the node has not rotated the log: this shows nothing'
  cut -c 1-11 "$WORK/lines" | cmp -s - <(seq -f 'line %06g' 350000) && return
  grep -q 'possible gap in the log' "$WORK/err" || fail 'lines are missing, doubled or out of order, and nobody says so'
  grep -Eo '^line [0-9]{6} 0{88}$' "$WORK/lines" | LC_ALL=C sort -C -u || fail 'lines are doubled or out of order'
  return 1
}

# A node that is short of time loses track of its own rotation: its readers get nothing until the next one, whoever they are.
for attempt in 1 2 3; do
  # shellcheck disable=SC2310 # what fails in it ends the scenario
  if followed "wordy-$attempt"; then exit 0; fi
done
fail 'lines are missing in each of three runs'
