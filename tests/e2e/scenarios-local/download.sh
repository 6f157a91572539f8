# The download of --download would fail in the pod, where nobody has tried its script; or a dataset would arrive in part.
# clusters: local (the clusters have no image with a program that downloads)
# shellcheck shell=bash

mkdir served bin
head -c 3000000 /dev/urandom >served/weights.pt
start server python3 -u -m http.server --bind 127.0.0.1 --directory served 0
await 'the server has a port' 20 grep -qo 'port [0-9]*' "$WORK/server.out"
port=$(grep -o 'port [0-9]*' "$WORK/server.out" | cut -d' ' -f2)

# The program has the file before it starts.
run trainctl submit-pytorch --local --workers=1 --follow --all \
  --download "source=http://127.0.0.1:$port/weights.pt?v=2,path=$WORK/data" -- sh -c "cksum <'$WORK/data/weights.pt'"
expect_exit 0
expect_lines 2 "$(cksum <served/weights.pt)"
run trainctl submit-pytorch --local --name lacks --workers=0 --follow --start-timeout 30s \
  --download "source=http://127.0.0.1:$port/nothing,path=$WORK/data,image=x" -- true
expect_exit 9
expect_err 'init container download-1 exited .*404'
kill "$(<"$WORK/server.pid")"
finish server

# The script that is run in the pod, with other programs than this machine's.
script=$(trainctl submit-pytorch --workers=0 -i x --download source=s3://data/x,path=/data --dry-run -o json |
  jq -r '.spec.pytorchReplicaSpecs.Master.template.spec.initContainers[0].command[2]')
# shellcheck disable=SC2016 # expanded by the stand-in
say='#!/bin/sh\nfor word; do printf "[%%s]" "$word"; done\necho " $AWS_ACCESS_KEY_ID"\n'
# calls PROGRAM SOURCE [VARIABLE…]: what the script asks of the only program that there is.
calls() {
  rm -f bin/*
  # shellcheck disable=SC2059 # it is a format
  printf "$say" >"bin/$1"
  chmod +x "bin/$1"
  run env -i PATH="$PWD/bin" DOWNLOAD_SOURCE="$2" AWS_ACCESS_KEY_ID=key "${@:3}" /bin/sh -c "$script"
}
calls aws s3://data/mnist/
expect_exit 0
expect_out '^\[s3\]\[cp\]\[--only-show-errors\]\[s3://data/mnist/\]\[./\]\[--recursive\] key$'
expect_out '^downloaded s3://data/mnist/$'
calls aws s3://data/a/b.pt AWS_ENDPOINT_URL=https://minio.test
expect_out '^\[--endpoint-url\]\[https://minio.test\]\[s3\]\[cp\]\[--only-show-errors\]\[s3://data/a/b.pt\]\[./\] key$'
calls s5cmd s3://data/mnist/
expect_out '^\[cp\]\[s3://data/mnist/\*\]\[./\] key$'
calls wget 'https://a.test/dir/weights.pt?token=secret'
expect_out '^\[-q\]\[-T\]\[60\]\[-O\]\[weights.pt\]\[https://a.test/dir/weights.pt\?token=secret\] key$'
expect_out '^downloaded https://a.test/dir/weights.pt$'
calls wget s3://data/x
expect_exit 127
expect_err 'none of aws s5cmd'
