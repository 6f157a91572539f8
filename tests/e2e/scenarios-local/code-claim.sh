# Code too large for config maps would not reach a replica, or another file under its name would run.
# clusters: embedded (the same cluster through its socket and through kubectl)
# shellcheck shell=bash disable=SC2016 # the dollars are expanded in the pod

mkdir code
head -c 12000000 /dev/urandom >code/weights.bin
printf 'pwd\nsha256sum weights.bin\n' >code/run.sh
sum=$(cd code && sha256sum weights.bin)
submit=(trainctl submit-pytorch --local --workers=0 --restart-policy Never --code code)

run "${submit[@]}" --name large --follow -- sh run.sh
expect_exit 2
expect_err 'more than 8.0 MiB packed'
expect_err '--code-claim CLAIM'
run "${submit[@]}" --name large --code-claim data:team --follow -- sh run.sh
expect_exit 0
expect_out '^/code$'
expect_out "^$sum$"
expect_err '^code sent to claim data: '
run trainctl describe large --local
expect_out '^Code: +sha256:[0-9a-f]{12}, 2 files, in claim data:team$'
no_helper() { [[ -z $(kubectl get pods -n default -l trainctl/helper -o name) ]]; }
await 'the helper pod is gone' 30 no_helper

# Sent once; an archive that another pod has changed is neither unpacked nor kept.
run "${submit[@]}" --name again --code-claim data:team --follow -- sh run.sh
expect_exit 0
expect_out "^$sum$"
expect_err '^claim data has this code already$'
run trainctl submit-pytorch --local --name spoil --workers=0 --restart-policy Never --pvc data:/data --follow -- \
  sh -c 'cd /data/team/.trainctl/code && ls -A && for file in *; do echo x >"$file"; done'
expect_exit 0
expect_out '^[0-9a-f]{64}\.tar\.gz$'
run trainctl rerun large --local --wait
expect_exit 3
expect_err 'is not the code that was sent: submit with --code again'
run "${submit[@]}" --name mended --code-claim data:team --follow -- sh run.sh
expect_exit 0
expect_out "^$sum$"

# Nor is one that another pod changes between the comparison and the unpacking: here the tool that compares does so.
archive=$(find "$XDG_STATE_HOME" -path '*/team/.trainctl/code/*.tar.gz')
tools=$(dirname "$(command -v trainctl)")
printf '#!/bin/sh\n%s "$@"\n[ ! -d /trainctl-code ] || echo x >"%s"\n' "$(command -v sha256sum)" "$archive" >"$tools/sha256sum"
chmod +x "$tools/sha256sum"
run "${submit[@]}" --name swapped --code-claim data:team --follow -- sh -c 'ls; sh run.sh'
rm "$tools/sha256sum"
expect_exit 0
expect_out "^$sum$"
refute_out 'tar\.gz'
expect_equal 'the archive that was changed' "$(<"$archive")" x

run trainctl submit-pytorch --local --name remove --workers=0 --restart-policy Never --pvc data:/data --follow -- \
  sh -c 'rm /data/team/.trainctl/code/*'
expect_exit 0
run trainctl rerun large --local --wait
expect_exit 3
expect_err '\.tar\.gz is missing in claim data, directory team/\.trainctl/code'

# Where another pod has put a directory in its place, no code is called sent.
mkdir "$archive"
run "${submit[@]}" --name blocked --code-claim data:team --follow -- sh run.sh
expect_exit 1
expect_err 'error: --code-claim data:team: .*\.tar\.gz is a directory$'
rmdir "$archive"
