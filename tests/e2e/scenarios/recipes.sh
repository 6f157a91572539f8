# A line of README or docs/pipelines.md would fail, or end with another status than the page says, where somebody copies it.
# clusters: real embedded
# shellcheck shell=bash

pages=("$E2E/../../README.md" "$E2E/../../docs/pipelines.md")
# recipe WORDS: the block of the pages that has these words, as it stands there.
recipe() {
  local block
  block=$(awk -v words="$1" '/^    / { block = block substr($0, 5) "\n"; next }
    index(block, words) { printf "%s", block; exit } { block = "" }' "${pages[@]}")
  [[ $block ]] || fail "no page has a block with: $1"
  printf '%s' "$block"
}

# The images of the pages become one that the cluster has, their programs $program.
trainctl() {
  local words=() word
  for word in "$@"; do
    [[ $word != -- ]] || break
    [[ $word != registry/* ]] || word=$BUSYBOX
    words+=("$word")
  done
  [[ $1 != submit* ]] || words+=(--command -- sh -c "$program")
  command trainctl "${words[@]}"
}

# tries WORDS STATUS: the recipe with these words ends with this status.
tries() {
  run eval "$(recipe "$1")"
  expect_exit "$2"
}

export COMMIT=1 program
program='echo trained'
tries --junit 0
expect_equal 'the log' "$(<logs/master-0.attempt-1.log)" trained
rm -r logs # as docs/pipelines.md does
program='exit 3' # the recipe of a pipeline names it at once
tries --junit 3
expect_equal 'the verdict' "$(jq -r .verdict.result result.json)" failed
grep -q '<failure' junit.xml || fail "$(<junit.xml)"

# Another attempt after a failure that is worth it.
if [[ $E2E_CLUSTER == embedded ]]; then # which makes claims
  program='exit 0' trainctl submit-pytorch --name claims --pvc-new data:1Gi:/data -i registry/ddp:1 --wait >/dev/null 2>&1
  program='[ "$TRAINCTL_ATTEMPT" = 2 ] || exit 75'
  # The only node would be avoided, too.
  run eval "$(recipe --avoid-bad-nodes | sed 's/ --avoid-bad-nodes//')"
  expect_exit 0
  expect_err 'attempt 2 of 3'
fi

# One job after another.
program='exit 0'
tries 'trainctl wait prep' 0
run trainctl wait train
expect_exit 0
trainctl delete prep train >/dev/null
program='exit 1'
run eval "$(recipe 'trainctl wait prep' | sed 's/submit-pytorch/& --restart-policy Never/')"
expect_exit 3
job_gone pytorchjob/train || fail 'the second job was submitted although the first has failed'
