# Seed users' TensorFlow line with --no-master would start a third pod, or none would know its peers.
# shellcheck shell=bash

# shellcheck disable=SC2016 # the variable is the pod's
run trainctl submit-tf --name tf --workers=2 --no-master -i "$BUSYBOX" --follow --command -- sh -c 'echo "$TF_CONFIG"; sleep 2'
expect_exit 0
expect_err '2 pods'
expect_out "\"cluster\":\\{\"worker\":\\[\"$(address tf-worker-0 2222)\",\"$(address tf-worker-1 2222)\"\\]\\}"
expect_out '"index":0'

run kubectl get tfjob tf -o jsonpath='{.spec.tfReplicaSpecs}'
refute_out 'Chief|Master|PS'
expect_out '"replicas":2'
