# What a job left in its volume could not be had once its pods are gone, would come changed, or pods of ours would stay.
# timeout: 900
# shellcheck shell=bash

storage=''
if [[ $E2E_CLUSTER == real ]]; then
  volume=$NAMESPACE-data
  kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: PersistentVolume
metadata: {name: $volume}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  storageClassName: ""
  persistentVolumeReclaimPolicy: Retain
  claimRef: {namespace: $NAMESPACE, name: data}
  hostPath: {path: "$WORK/volume", type: DirectoryOrCreate}
END
  storage="storageClassName: \"\", volumeName: $volume, "
  trap 'kubectl delete pv "$volume" --wait=false >/dev/null || true; at_end' EXIT
fi
kubectl create -f - >/dev/null <<END
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {${storage}accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
END
helpers() { kubectl get pods -l trainctl/helper=fetch -o name; }
no_helper() { [[ -z $(helpers) ]]; }
staying_helpers() { kubectl get pods -l trainctl/helper=fetch -o json | jq '[.items[] | select(.metadata.deletionTimestamp == null)] | length'; }
has_helper() { [[ -n $(helpers) ]]; }
whole() { (cd "$1" && sha256sum --quiet -c sums) || fail "$2"; }

# A job that is over, and its pods gone.
cat >"$WORK/program" <<'END'
set -e
mkdir -p "/data/out/deep er"
cd /data/out
head -c 3000000 /dev/urandom >model
chmod 640 model
for i in 1 2 3 4 5 6 7 8 9; do head -c 400000 /dev/urandom >"deep er/$i"; done
ln -s model latest
sha256sum model deep*/* >sums
mkdir /data/large
truncate -s 1G /data/large/zeros
END
run trainctl submit-pytorch --name ddp --workers=0 -i "$BUSYBOX" --restart-policy Never --clean-pod-policy All --pvc data:/data --wait -- \
  sh -c "$(<"$WORK/program")"
expect_exit 0
no_pods() { [[ -z $(kubectl get pods -l training.kubeflow.org/job-name=ddp -o name) ]]; }
await 'the pods of the job are gone' 60 no_pods

run trainctl fetch --list ddp
expect_exit 0
expect_out '^2\.8 MiB +[0-9TZ:-]+ +/data/out/model$'
expect_out ' /data/out/deep er/9$'
run trainctl fetch ddp:/data/out "$WORK/results"
expect_exit 0
expect_err '^copied /data/out: '
whole "$WORK/results" 'the results are not what the job wrote'
expect_equal 'mode' "$(stat -c %a "$WORK/results/model")" 640
expect_equal 'link' "$(readlink "$WORK/results/latest")" model
await 'the helper pod is gone' 30 no_helper

# What is here is not copied again, what is not, is; one file goes by its name; a claim needs no job.
rm "$WORK/results/deep er/3"
run trainctl fetch ddp:/data/out "$WORK/results"
expect_exit 0
expect_err '^10 files are already here with the same size and time$'
whole "$WORK/results" 'what was fetched again is not whole'
run trainctl fetch ddp:/data/out/model "$WORK/one"
expect_exit 0
cmp "$WORK/results/model" "$WORK/one/model" || fail 'one file came changed'
run trainctl fetch --pvc data:/out --helper-image "$BUSYBOX" "$WORK/by-claim"
expect_exit 0
whole "$WORK/by-claim" 'from a claim it came changed'
run trainctl fetch ddp:/data/none "$WORK/none"
expect_exit 5
expect_err '/data/none does not exist'
run trainctl fetch ddp:/elsewhere "$WORK/none"
expect_exit 5
expect_err '/data \(claim data\)'
await 'no helper pod is left of errors' 30 no_helper

# However it is interrupted, no helper pod stays.
for ((i = 0; i < ${FETCH_ROUNDS:-6}; i++)); do
  start "cut-$i" trainctl fetch ddp:/data/out "$WORK/cut-$i"
  sleep "$((RANDOM % 4)).$((RANDOM % 10))"
  signal=INT
  ((i % 2)) && signal=TERM
  kill "-$signal" "$(<"$WORK/cut-$i.pid")" 2>/dev/null || true
  finish "cut-$i"
  printf 'interrupted after a while by %s: %s\n' "$signal" "$CODE"
  [[ $CODE =~ ^(0|130|143)$ ]] || fail "interrupted fetch $i ended with $CODE"
  ((CODE != 0)) || whole "$WORK/cut-$i" 'what ended before the signal is not whole'
done
await 'no helper pod is left of interrupted fetches' 30 no_helper

# One that was killed is found by the next. It copies what takes longer than seeing its pod.
for ((i = 0, left = 0; i < 20 && left == 0; i++)); do
  start killed trainctl fetch ddp:/data/large "$WORK/killed-$i"
  await 'the helper pod is there' 60 has_helper
  kill -KILL "$(<"$WORK/killed.pid")" 2>/dev/null || true
  finish killed
  [[ $CODE != 137 ]] || left=$(staying_helpers)
  rm -rf "$WORK/killed-$i"
done
((left)) || fail 'no fetch could be killed while its helper pod was there'
run trainctl fetch ddp:/data/out "$WORK/killed"
expect_exit 0
expect_err 'of an interrupted copy was deleted'
whole "$WORK/killed" 'what was fetched after a kill is not whole'
await 'the helper pod of a killed fetch is gone' 30 no_helper

# A replica that runs is read itself.
run trainctl submit-pytorch --name live --workers=0 -i "$BUSYBOX" --pvc data:/data -- sleep 100000
expect_exit 0
await 'it runs' 90 job_is pytorchjob/live Running
run trainctl fetch live:/data/out "$WORK/live"
expect_exit 0
expect_err '^from live/master-0, which is running'
whole "$WORK/live" 'from a replica that runs it came changed'
run trainctl fetch --helper-pod live:/data/out/model "$WORK/beside"
expect_exit 0
cmp "$WORK/results/model" "$WORK/beside/model" || fail 'from beside a replica it came changed'
await 'no helper pod is left' 30 no_helper

# A job that was deleted: which claim to name. Without the rights: which ones.
run trainctl delete ddp
run trainctl fetch ddp:/data/out "$WORK/gone"
expect_exit 5
expect_err 'trainctl fetch --pvc CLAIM'
if [[ $E2E_CLUSTER == real ]]; then
  grant "$NAMESPACE" reader <<'END'
- {apiGroups: [kubeflow.org], resources: ["*"], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [pods, persistentvolumeclaims], verbs: [get, list, watch]}
END
  kubeconfig_of reader "$NAMESPACE" "$WORK/reader"
  run trainctl fetch --kubeconfig "$WORK/reader" --helper-pod pytorch/live:/data/out "$WORK/gone"
  expect_exit 4
  expect_err 'the Role that trainctl rbac --for fetch'
fi

# A directory of the node (-v): found by the pod that ran there.
mkdir "$WORK/node"
run trainctl submit-pytorch --name host --workers=0 -i "$BUSYBOX" --restart-policy Never -v "$WORK/node:/results" --wait -- \
  sh -c 'head -c 1000000 /dev/urandom >/results/model'
expect_exit 0
run trainctl fetch host "$WORK/from-node"
expect_exit 0
cmp "$WORK/node/model" "$WORK/from-node/model" || fail 'from a directory of the node it came changed'
await 'no helper pod is left behind it' 30 no_helper
