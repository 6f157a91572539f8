# A Role that lacks a right would stop a pipeline in the middle; one that has more would be refused by an administrator.
# clusters: real (the embedded one has one user, its owner, who may do everything: there is no RBAC to ask)
# shellcheck shell=bash

# allow NAME USES: the service account NAME has the printed Role for these uses; `as NAME CMD…` runs trainctl with it.
allow() {
  kubectl create serviceaccount "$1" >/dev/null
  trainctl rbac -n "$NAMESPACE" --name "$1" --for "$2" --service-account "$1" | kubectl apply -f - >/dev/null
  kubeconfig_of "$1" "$NAMESPACE" "$1.kubeconfig"
  chmod 600 "$1.kubeconfig"
}
as() { trainctl --kubeconfig "$PWD/$1.kubeconfig" "${@:2}"; }

allow sender submit
run as sender submit-pytorch --name sent --workers=1 -i "$BUSYBOX" --command -- sleep 300
expect_exit 0
await 'the job runs' 120 job_is pytorchjob/sent Running
run as sender logs sent
expect_exit 4
run as sender delete sent
expect_exit 4

allow reader follow
run as reader get sent
expect_exit 0
run as reader describe sent
expect_exit 0
refute_err 'forbidden'
run as reader submit-pytorch --name other -i "$BUSYBOX" --no-check
expect_exit 4
run as reader exec sent -- true
expect_exit 4

allow guest exec
run as guest exec sent -- echo inside
expect_exit 0
expect_out '^inside$'
run as guest cp sent:/etc/hostname hostname
expect_exit 0

allow ender cancel
run as ender delete sent --yes --wait
expect_exit 0
job_gone pytorchjob/sent || fail 'the job still exists'

mkdir code
echo 'echo code of today' >code/run.sh
allow pipeline submit,follow,code
for attempt in first second; do
  run as pipeline submit-pytorch --name "$attempt" --workers=0 -i "$BUSYBOX" --code code --follow --command -- sh run.sh
  expect_exit 0
  expect_out '^code of today$'
  refute_err 'forbidden|may not'
done
run as pipeline wait first
expect_exit 0
run as pipeline delete first --yes
expect_exit 4
