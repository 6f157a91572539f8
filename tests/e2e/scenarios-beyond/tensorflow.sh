# The seed users' TensorFlow line would not train with Trainer v2 as it does with v1, or would print something else.
# variants: trainer both
# images: tensorflow
# shellcheck shell=bash

# shellcheck source=SCRIPTDIR/../training.sh
source "$E2E/training.sh"

create configmap code --from-file=multi_worker.py="$E2E/programs/multi_worker.py"
# train NAME FLAG…: the seed users' line.
train() {
  run trainctl submit-tf --name "$1" --workers=2 --no-master -i "$TENSORFLOW" --configmap-volume name=code,path=/code \
    --follow "${@:2}" --command -- python3 /code/multi_worker.py
  expect_exit 0
}

if [[ $E2E_VARIANT == both ]]; then
  train old --api=v1
  expect_out '^worker 0 epoch 5 loss '
  before=$OUT
  train new --api=trainer
  expect_equal 'stdout with Trainer' "$OUT" "$before"
else
  train tf --all
  expect_err '^the cluster does not serve TFJob: submitting a TrainJob of Kubeflow Trainer$'
  expect_out '^\[node-0\] worker 0 of 2$'
  expect_out '^\[node-1\] worker 1 of 2$'
  expect_training worker epoch 1 5
fi
