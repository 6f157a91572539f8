# What must be true of real training, for scenarios that run the programs of programs/ which learn; sourced by them.
# shellcheck shell=bash disable=SC2154 # lib.sh sets $OUT

# said WORDS: what a replica printed behind these words.
said() { sed -n "s/^.*$1 //p" <<<"$OUT"; }

# expect_training WHO UNIT FIRST LAST: the two of them (`rank`, `worker`) learnt, from the first number of steps (or other
# units) to the last, and did so together: they report the same loss, and end with the same weights.
expect_training() {
  local who=$1 unit=$2 first last
  first=$(said "$who 0 $unit $3 loss") last=$(said "$who 0 $unit $4 loss")
  awk -v first="$first" -v last="$last" 'BEGIN { exit !(last > 0 && last < first / 1000) }' ||
    fail "the loss went from '$first' to '$last'"
  [[ -n $(said "$who 0 weights") ]] || fail "$who 0 printed no weights"
  expect_equal "the loss of $who 1" "$(said "$who 1 $unit $4 loss")" "$last"
  expect_equal "the weights of $who 1" "$(said "$who 1 weights")" "$(said "$who 0 weights")"
}
