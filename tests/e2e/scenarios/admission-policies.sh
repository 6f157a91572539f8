# An administrator who copies the policies of docs/admin.md would bind nobody, or users would learn of a refusal too late.
# clusters: real (the embedded one has no admission policies)
# shellcheck shell=bash

# A job of before the policies must stay manageable.
run trainctl submit-pytorch --name before --workers=0 -i "$BUSYBOX" --command -- sleep 600
expect_exit 0
run trainctl wait before --for=running --timeout 2m
expect_exit 0

sed -n '/^```yaml$/,/^```$/ { /^```yaml$/ { s/.*/---/; p }; /^```$/! { /^```/!p } }' "$E2E/../../docs/admin.md" >policies.yaml
expect_equal 'the number of objects on the page' "$(grep -c '^kind: ' policies.yaml)" 4
kubectl apply -f policies.yaml >/dev/null
kubectl label namespace "$NAMESPACE" trainctl-rules=yes >/dev/null

labels=(-l cost-center=7 -l team=vision)
line=(submit-pytorch --name ruled --workers=0 --image)
refuses() { ! trainctl "$@" 2>"$WORK/refusal" && grep -q 'denied request' "$WORK/refusal"; }
await 'the policies are in force' 60 refuses "${line[@]}" "$BUSYBOX" --dry-run=server

# refused WORDS FLAG…: check and submit, which asks no less without its own check, say why, and nothing is made.
refused() {
  local words=$1
  shift
  run trainctl check "${line[@]}" "$@"
  expect_exit 6
  expect_out "$words"
  for how in --dry-run=server --no-check ''; do
    run trainctl "${line[@]}" "$@" $how
    expect_exit 6
    expect_err "$words"
  done
  job_gone pytorchjob/ruled || fail 'a job was created'
}
refused 'images must begin with registry.example.com/ or ghcr.io/acme/' "$BUSYBOX" "${labels[@]}"
refused 'images must begin with' ghcr.io/acme-evil/x "${labels[@]}"
refused 'images must begin with' ghcr.io/acme/x "${labels[@]}" --git-sync repository=https://example.com/x.git,path=/src,image=python:3
refused 'label cost-center is missing: --label cost-center=VALUE' ghcr.io/acme/x -l team=vision
refused 'label team must be vision or speech' ghcr.io/acme/x -l cost-center=7 -l team=sales

run trainctl suspend before
expect_exit 0
kubectl delete pytorchjob before --cascade=foreground --timeout=60s >/dev/null || fail 'a job of before cannot be deleted'

run trainctl check "${line[@]}" ghcr.io/acme/x "${labels[@]}"
expect_exit 0
run trainctl "${line[@]}" ghcr.io/acme/x "${labels[@]}" --dry-run=server -o name
expect_exit 0
# A pod that was let in cannot be given another image afterwards.
kubectl run vetted --image=ghcr.io/acme/x -l cost-center=7,team=vision >/dev/null
if kubectl set image pod/vetted vetted="$BUSYBOX" 2>"$WORK/refusal"; then fail 'a pod got an image that is not vetted'; fi
grep -q 'images must begin with' "$WORK/refusal" || fail "another refusal: $(cat "$WORK/refusal")"
if kubectl debug vetted --image="$BUSYBOX" 2>"$WORK/refusal"; then fail 'a pod got a container that is not vetted'; fi
grep -q 'images must begin with' "$WORK/refusal" || fail "another refusal: $(cat "$WORK/refusal")"
kubectl delete -f policies.yaml >/dev/null
