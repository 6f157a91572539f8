# A TrainJob could not change its pods on an older Trainer, which names the patch otherwise.
# variants: trainer trainer-2.0 trainer-2.1
# shellcheck shell=bash

declare -A patches=(
  [trainer-2.0]='"podSpecOverrides": [{"targetJobs": [{"name": "node"}], "nodeSelector": {"a": "b"}}]'
  [trainer-2.1]='"podTemplateOverrides": [{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"a": "b"}}}]'
  [trainer]='"runtimePatches": [{"manager": "trainctl.test/e2e", "trainingRuntimeSpec": {"template": {"metadata": {"labels": {"a": "b"}}}}}]'
)
for variant in "${!patches[@]}"; do
  cat >job.json <<END
{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "patched"},
 "spec": {"runtimeRef": {"name": "test-torch"}, ${patches[$variant]}}}
END
  run kubectl create --dry-run=server -f job.json
  if [[ $variant == "$E2E_VARIANT" ]]; then
    expect_exit 0
  else
    expect_exit 1
    expect_err 'strict decoding error: unknown field "spec\.'
  fi
done
