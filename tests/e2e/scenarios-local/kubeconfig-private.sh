# Another user of the machine could read the token of the embedded cluster, and run programs as its owner.
# clusters: local (only the embedded one writes kubeconfigs)
# shellcheck shell=bash

umask 022
run trainctl local up --listen
expect_exit 2
expect_err 'other users can read'
expect_err 'local up --write FILE'
! grep -q token "$WORK/out" || fail 'a token went to a file that others can read'
run trainctl local status
expect_exit 5

run trainctl local up --write "$WORK/kubeconfig"
expect_exit 0
[[ $(stat -c %a "$WORK/kubeconfig") == 600 ]] || fail "$(stat -c %a "$WORK/kubeconfig")"
kubectl --kubeconfig "$WORK/kubeconfig" get nodes >/dev/null
run trainctl local up --write "$WORK/kubeconfig"
expect_exit 0

printf 'apiVersion: v1\nkind: Config\ncurrent-context: work\n' >"$WORK/mine"
run trainctl local up --write "$WORK/mine"
expect_exit 2
expect_err 'not from `local up --write`'
grep -q 'current-context: work' "$WORK/mine" || fail "the user's own kubeconfig is gone"

token=$(trainctl local up --listen | sed -n 's/ *token: *//p')
[[ $token ]] || fail 'a pipe gets no kubeconfig'
