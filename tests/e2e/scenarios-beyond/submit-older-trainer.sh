# A submit line would be refused by an older Trainer, which names the patch of the pods otherwise.
# variants: trainer-2.0 trainer-2.1
# shellcheck shell=bash

run trainctl submit-pytorch --name ddp --workers=1 -i "$BUSYBOX" --node-selector a=b --dry-run=server -o json
expect_exit 0
case $E2E_VARIANT in
  trainer-2.1)
    jq -e '.spec.podTemplateOverrides[0].spec.nodeSelector == {a: "b"}' <<<"$OUT" >/dev/null || fail "no override of the template: $OUT"
    ;;
  trainer-2.0)
    # It cannot label pods: a runtime of the job's own does.
    jq -e '.items[0].kind == "TrainingRuntime" and .items[1].spec.runtimeRef.kind == "TrainingRuntime"' <<<"$OUT" >/dev/null ||
      fail "no runtime of its own: $OUT"
    ;;
esac

run trainctl submit-pytorch --name late --workers=1 -i "$BUSYBOX" --active-deadline 1h
expect_exit 2
expect_err '^error: .*--active-deadline'
