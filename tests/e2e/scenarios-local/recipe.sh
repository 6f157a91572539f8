# The documented lines for a pipeline would fail when the pipeline runs them a second time.
# clusters: local (their program is to run on this machine)
# shellcheck shell=bash

recipe=$(sed -n '/^    # in a pipeline:/,/^$/s/^    //p' "$E2E/../../docs/pipelines.md")
[[ $recipe == *--save-logs*--junit*--result-file* ]] || fail "docs/pipelines.md has no such lines: $recipe"

# shellcheck disable=SC2016 # the variable is the replica's
trainctl() { command trainctl "$@" --local -- sh -c 'echo "rank $RANK"'; }
export COMMIT=1
for round in first second; do
  run eval "$recipe"
  expect_exit 0
  [[ $(<logs/master-0.attempt-1.log) == 'rank 0' ]] || fail "$round run: $(ls logs)"
  [[ -s junit.xml && -s result.json ]] || fail "$round run: no reports"
done

# Without the line that takes the first run's files away, the second is refused before anything is sent.
run eval "$(sed 1,2d <<<"$recipe")"
expect_exit 2
expect_err '--save-logs: logs already holds files'
