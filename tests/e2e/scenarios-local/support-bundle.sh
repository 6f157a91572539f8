# A bundle for a helper would carry a credential of the job, or lack what the helper needs.
# clusters: local (nothing but --local)
# shellcheck shell=bash

# submit NAME SCRIPT: a job with credentials where programs get them.
submit() {
  run trainctl submit-pytorch --local --name "$1" --workers 1 --restart-policy Never --annotation wandb.ai/api-key=planted-1 \
    --env HF_TOKEN=planted-2 --env LOGIN=planted-3 -- sh -c "$2" "$1" --api-key planted-4 planted5a0123456789abcdef
  expect_exit 0
}
# member NAME FILE: the content of a file in the job's archive is in $OUT.
member() {
  run tar -xzOf "$1.tar.gz" "$1/$2"
  expect_exit 0
}
# bundled NAME FILE…: there is a private archive of the job, without a credential, with these files and those of every job.
bundled() {
  local name=$1 file files
  shift
  run trainctl support-bundle --local "$name" -o "$name.tar.gz"
  expect_exit 0
  expect_err "^wrote $name.tar.gz; read its CONTENTS.txt before you pass it on"
  expect_equal 'mode of the archive' "$(stat -c %a "$name.tar.gz")" 600
  files=$(tar -tzf "$name.tar.gz")
  expect_equal 'first file' "${files%%$'\n'*}" "$name/CONTENTS.txt"
  for file in report.json pods/"$name"-worker-0.json events.jsonl why.txt version.json config.json logs/worker-0.log "$@"; do
    grep -qx "$name/$file" <<<"$files" || fail "no $file in the archive of $name: $files"
  done
  for file in $files; do
    member "$name" "${file#"$name"/}"
    refute_out planted
  done
  member "$name" pods/"$name"-worker-0.json
  expect_out HF_TOKEN
}

submit runs 'echo "rank $RANK"; sleep 600'
submit failed 'echo "https://ada:planted-6@hub.test is down"; test "$RANK" = 1 && exit 3; sleep 600'
run trainctl wait --local runs --for=running --timeout 60s
expect_exit 0
run trainctl wait --local failed --timeout 60s
expect_exit 3

bundled runs pods/runs-master-0.json logs/master-0.log doctor.json
member runs doctor.json
expect_equal 'processes looked into' "$(jq '.members | length' <<<"$OUT")" 2
member runs logs/worker-0.log
expect_out ' rank 1$'

bundled failed # clean-up has removed its master
member failed CONTENTS.txt
expect_out '^doctor.json: the job does not run$'
member failed why.txt
expect_out 'worker-0 exited 3'
member failed logs/worker-0.log
expect_out '@hub.test is down$'

run trainctl delete --local runs failed
expect_exit 0
