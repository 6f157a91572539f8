# A typing error would create a job that is not what the user asked for.
# shellcheck shell=bash

refused() {
  run trainctl submit-pytorch --name wrong -i "$BUSYBOX" "$@"
  expect_exit 2
  expect_err "$(tr -d '[:space:]' <<<"${1%%=*}")"
}

refused --toleration garbage
refused --workers=-1
refused --memory='1 Gi'
refused --clean-pod-policy=none
refused --env-secret nonsense
refused --pvc data
run trainctl submit-pytorch --name= --workers=1 -i "$BUSYBOX"
expect_exit 2
expect_equal 'the number of jobs' "$(kubectl get pytorchjobs -o name | wc -l)" 0
