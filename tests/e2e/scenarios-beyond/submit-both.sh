# The same line would print something else with Trainer v2 than with v1, or not take v1 where there are both.
# variants: both
# shellcheck shell=bash

kubectl create configmap code --from-file="$E2E/programs/ddp.py" >/dev/null

# same NAME CODE WORDS…: a line has the same stdout and the exit status CODE with both.
same() {
  local name=$1 code=$2 api out=
  shift 2
  for api in v1 trainer; do
    run trainctl "$1" --name "$name-$api" --api "$api" "${@:2}"
    expect_exit "$code"
    # The master's address has another name, which PyTorch may ask for before the cluster's DNS knows it.
    OUT=$(sed '/^W[0-9]* .*gai error/d; /^WARNING: Logging before/d; s/master .*//' <<<"$OUT")
    [[ $api == v1 ]] || expect_equal "stdout of $name" "$OUT" "$out"
    out=$OUT
  done
  [[ $out ]] || fail "$name printed nothing"
}

same ddp 0 submit-pytorch --workers=1 -g 0 -i "$TORCH" --configmap-volume name=code,path=/code --follow --command -- python3 /code/ddp.py
same alone 0 submit-pytorch --no-master -g 0 -i "$TORCH" --configmap-volume name=code,path=/code --follow --command -- python3 /code/ddp.py
# shellcheck disable=SC2016 # the job's shell expands them
same failing 3 submit-pytorch --workers=1 -i "$BUSYBOX" --restart-policy Never --follow --command -- \
  sh -c 'trap "exit 143" TERM; echo "rank $RANK of $WORLD_SIZE"; [ "$RANK" = 0 ] || { sleep 2; exit 7; }; sleep 60 & wait'
# shellcheck disable=SC2016
same tf 0 submit-tf --workers=2 --no-master -i "$BUSYBOX" --follow --command -- sh -c 'echo "${TF_CONFIG##*task}"'

run trainctl submit-pytorch --name first --no-master -i "$BUSYBOX" --command -- true
expect_exit 0
expect_out '^pytorchjob.kubeflow.org/first created$'
