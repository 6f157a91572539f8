# What a job leaves in its volume would be gone, and configuration would not reach a replica.
# clusters: embedded (the same cluster through its socket and through kubectl)
# shellcheck shell=bash

create configmap settings --from-literal=rate=0.1 --from-literal=file.txt='from a map' -n default
create secret generic hidden --from-literal=token=s3cret -n default
# Its size is not asked for: a claim is made at its first use.

# job NAME SCRIPT FLAG…
job() {
  run trainctl submit-pytorch --local --name "$1" --workers=0 --restart-policy Never --follow "${@:3}" -- sh -c "$2"
  expect_exit 0
}
job writer 'echo weights >/data/model; cat /config/file.txt; echo; cat /secret/token; echo' \
  --pvc data:/data --configmap-volume name=settings,path=/config --secret-volume name=hidden,path=/secret
expect_out '^from a map$'
expect_out '^s3cret$'
# shellcheck disable=SC2016 # the variables are the replica's
job reader 'cat /data/model; echo "$TOKEN_X"' --pvc data:/data --env-secret TOKEN_X=hidden:token
expect_out '^weights$'
expect_out '^s3cret$'
[[ ! -e /data/model && ! -e /config/file.txt ]] || fail 'the volume appeared on the machine itself'
