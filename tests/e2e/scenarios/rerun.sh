# A user would type the whole line again to repeat a job, or lose its secret with the job it was made for.
# shellcheck shell=bash

mkdir "$WORK/code"
echo 'echo "run of $WHAT: $1"' >"$WORK/code/say.sh"
cd "$WORK/code"

run trainctl submit-pytorch --name first --workers=0 -i "$BUSYBOX" --code . -e WHAT=one --wait --command -- sh say.sh once
expect_exit 0
run trainctl rerun first --name second -e WHAT=two --follow
expect_exit 0
expect_out '^run of two: once$'
expect_equal 'the link back' "$(kubectl get pytorchjob second -o jsonpath='{.metadata.annotations.trainctl/rerun-of}')" first

# The first job may go: the code stays with the second, and can be run once more, under a name of the server's.
run trainctl delete first --yes --wait
expect_exit 0
run trainctl rerun second --follow -- sh say.sh again
expect_exit 0
expect_out '^run of two: again$'
expect_err 'second-[a-z0-9]* created'

# Changed code replaces the former.
echo 'echo "new: $1"' >say.sh
run trainctl rerun second --name fourth --code . --follow
expect_exit 0
expect_out '^new: once$'

run trainctl rerun nosuch
expect_exit 5
run trainctl scale second --workers=2
expect_exit 2
