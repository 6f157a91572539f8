# A user would stare at a job that never starts without learning why.
# shellcheck shell=bash

# blocked NAME FLAG…: submits a job that cannot start.
blocked() {
  local name=$1
  shift
  run trainctl submit-pytorch --name "$name" --workers=0 -i "$BUSYBOX" --no-check "$@"
  expect_exit 0
  start "$name" trainctl wait "$name" --start-timeout 1h
}

# reported NAME REGEX: to who waits while the cluster notices, and to who comes later.
reported() {
  await "the cluster has noticed $1" 60 event_of "$1-master-0" "$2"
  await "the reason of $1 is reported" 5 grep -Eq -- "$2" "$WORK/$1.err"
  run trainctl wait "$1" --start-timeout 1s
  expect_exit 9
  expect_err "$2"
}
event_of() { kubectl get events --field-selector "involvedObject.name=$1" -o jsonpath='{.items[*].message}' | grep -Eq -- "$2"; }

# The embedded cluster makes a claim at its first use.
names=(gpu secret volume)
if [[ $E2E_CLUSTER == real ]]; then
  names+=(claim)
  blocked claim --pvc nosuchpvc:/data
fi
blocked gpu -g 1
blocked secret --env-secret TOKEN_X=nosecret:key
blocked volume --configmap-volume name=nomap,path=/config
if [[ $E2E_CLUSTER == real ]]; then
  reported claim 'persistentvolumeclaim "nosuchpvc" not found'
fi
reported gpu 'Insufficient nvidia.com/gpu'
reported secret 'secret "nosecret" not found'
reported volume 'configmap "nomap" not found'
for name in "${names[@]}"; do
  run trainctl delete "$name" --yes
  expect_exit 0
  finish "$name"
  expect_exit 10
done
