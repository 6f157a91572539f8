# Workers without a master would never meet: the operator sets no rendezvous variables for them, trainctl does.
# shellcheck shell=bash

create configmap code --from-file=ddp.py="$E2E/programs/ddp.py"
run trainctl submit-pytorch --name flat --workers=2 --no-master -i "$TORCH" --configmap-volume name=code,path=/code \
  --follow --all --command -- python3 /code/ddp.py
expect_exit 0
expect_out "^\\[worker-0\\] rank 0 of 2, master $(address flat-worker-0)\$"
expect_out "^\\[worker-1\\] rank 1 of 2, master $(address flat-worker-0)\$"
expect_out '^\[worker-0\] rank 0 weights '
expect_out '^\[worker-1\] rank 1 weights '
