# Flags for variables, volumes and placement that a real server refuses, or that never reach the program.
# shellcheck shell=bash

create configmap settings --from-literal=depth=4 --from-literal=WIDTH=128
create secret generic store --from-literal=AWS_ACCESS_KEY_ID=key --from-literal=AWS_SECRET_ACCESS_KEY=hush
printf '# from a file\nLR=0.1\nNOTE=two words\n' >settings.env

# shellcheck disable=SC2016 # the variables are the replica's
run trainctl submit-pytorch --name shape --workers=0 --restart-policy Never -i "$BUSYBOX" --follow --timeout 2m \
  --env-file settings.env --env-configmap DEPTH=settings:depth --env-from-configmap settings --env-field NODE=spec.nodeName \
  --s3 store:http://minio:9000 --scratch /scratch:16Mi --exclude-node no-such-node --pack node --spread zone \
  --command -- sh -c 'echo "$LR/$NOTE/$DEPTH/$WIDTH/$AWS_ACCESS_KEY_ID/$AWS_ENDPOINT_URL/${NODE:+node}"; echo x >/scratch/x && cat /scratch/x'
expect_exit 0
expect_out '^0\.1/two words/4/128/key/http://minio:9000/node$'
expect_out '^x$'
refute_err 'hush'

# What this cluster has no nodes, classes or gangs for is accepted as it is written.
run trainctl submit-pytorch --name placed --workers=2 -i "$BUSYBOX" --dry-run=server --node node1 --gpu-product A100 --gang-min-available 3 \
  --gang-timeout 5m --gang-queue research --ephemeral-pvc 1Gi:/data --run-as-non-root --suspend --torchrun train.py -- --epochs 3
expect_exit 0
expect_out 'minAvailable: 3'
expect_out 'storage: "?1Gi'
expect_out 'suspend: true'
