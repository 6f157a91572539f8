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
expect_err '`local up --write` did not create it'
grep -q 'current-context: work' "$WORK/mine" || fail "the user's own kubeconfig is gone"

token=$(trainctl local up --listen | sed -n 's/ *token: *//p')
[[ $token ]] || fail 'a pipe gets no kubeconfig'

# Old TLS can be read by whoever breaks it: the port speaks 1.2 and later.
port=$(sed -n 's|.*https://127.0.0.1:\([0-9]*\).*|\1|p' "$WORK/kubeconfig")
tls() {
  python3 -W ignore -c "
import socket, ssl
context = ssl._create_unverified_context()
context.set_ciphers('ALL:@SECLEVEL=0')
context.minimum_version = context.maximum_version = ssl.TLSVersion.$1
context.wrap_socket(socket.create_connection(('127.0.0.1', $port)))"
}
for version in TLSv1 TLSv1_1; do
  run tls "$version"
  expect_exit 1
  expect_err 'ssl\.SSL[A-Za-z]*Error'
done
for version in TLSv1_2 TLSv1_3; do
  run tls "$version"
  expect_exit 0
done
