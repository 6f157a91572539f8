# A user would lose what was edited in the shell of dev.
# clusters: local (its programs work in directories of this machine)
# shellcheck shell=bash

mkdir "$WORK/code"
cd "$WORK/code"
run sh -c "printf 'echo edited >note\n' | trainctl dev --local --name lab --code ."
expect_exit 0
expect_err "dev works directly in $WORK/code"
expect_equal 'the edit' "$(<note)" edited
run trainctl dev --local --name lab --code nowhere
expect_exit 2
